"""What every certifier is given, what it returns, and the arithmetic that they share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, Final

import numpy as np
import numpy.typing as npt

from levcert.alphabet import EncodedTexts, Text
from levcert.certificate import NO_ANSWER
from levcert.edits import Edit, Operation
from levcert.models.window import WindowModel
from levcert.spelling import apply_to_original
from levcert.threat import AllowedEdits, Threat

Array = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

_DOWN: Final = 1 - 2.0**-50  # a quotient times this is below the real quotient


@dataclass(frozen=True)
class Verdict:
    """What a certifier found about one text; ``counterexample`` lies ``upper`` edits away."""

    radius: int
    claim: str
    margin: float | None  # None where the classifier gives labels only
    upper: int | None = None
    counterexample: Text | None = None


@dataclass(frozen=True)
class Batch:
    """Texts of one model, encoded and scored."""

    model: WindowModel
    texts: Sequence[Text]
    threat: Threat

    @cached_property
    def encoded(self) -> EncodedTexts:
        return self.model.alphabet.encode_many(self.texts)

    @cached_property
    def scores(self) -> Array:
        return self.model.encoded_scores(self.encoded)

    @cached_property
    def best(self) -> Integers:
        """The number of each text's label: the highest score, of equal ones the first."""
        best: Integers = self.scores.argmax(axis=1)
        return best

    @cached_property
    def margins(self) -> Array:
        """margins[n, ŷ] = f_y − f_ŷ, with infinity in the column of y itself."""
        rows = np.arange(len(self.texts))
        margins = self.scores[rows, self.best][:, None] - self.scores
        margins[rows, self.best] = np.inf
        return margins

    @cached_property
    def margin(self) -> Array:
        least: Array = self.margins.min(axis=1)
        return least

    @cached_property
    def allowed(self) -> AllowedEdits:
        return self.threat.allowed(self.model.alphabet)

    @cached_property
    def present(self) -> npt.NDArray[np.bool_]:
        """Whether text n holds symbol a, as present[n, a − 1]."""
        present = np.zeros((len(self.texts), self.model.alphabet.size), dtype=bool)
        present[np.repeat(np.arange(len(self.texts)), self.encoded.lengths), self.encoded.ids - 1] = True
        return present

    @cached_property
    def allowance(self) -> Array:
        """4·ρ(n): the margins of the text and of any edited text are each a difference of two rounded scores.

        n covers every text within ``reach`` edits; it is rounded up to a power of two, so that few values occur.
        """
        windows = self.reach + self.encoded.lengths + self.model.width
        exponents = np.ceil(np.log2(windows)).astype(np.int64)
        bounds = {exponent: self.model.rounding(2 ** int(exponent)) for exponent in np.unique(exponents)}
        # A bound that is not a number bounds nothing.
        return np.array([4 * bounds[e] if bounds[e] >= 0 else np.inf for e in exponents], dtype=np.float64)

    @cached_property
    def reach(self) -> Integers:
        """The largest radius that is ever claimed: the allowance covers texts up to so many edits away.

        With deletions no text has a radius of its length or more, because the empty text has no answer.
        """
        return 3 * (self.encoded.lengths + self.model.width)


class Certifier(ABC):
    """A method of certification; its class attributes are what ``levcert certify --help`` says about it."""

    name: ClassVar[str]
    needs: ClassVar[str]  # which models it works for
    largest_distance: ClassVar[int | None]  # the largest radius it can give; None: any

    @abstractmethod
    def claim(self, threat: Threat) -> str:
        """Return what a radius of this method is worth against a threat."""

    @abstractmethod
    def verdicts(self, batch: Batch) -> list[Verdict]:
        """Return one verdict per text."""


def radii(margins: Array, constants: Array, allowance: Array, reach: Integers) -> Integers:
    """Return for each text the largest k with margin − k·G > allowance for all other classes.

    k = ⌈(margin − allowance)/G⌉ − 1, because the inequality is strict (the paper's ⌊margin/G⌋ is wrong on exact
    multiples).  A text that wins by less than the allowance has radius 0, one that does not win has none.
    """
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        quotient = (margins - allowance[:, None]) / constants * _DOWN
    quotient[np.isinf(margins) | ((constants == 0) & (margins > allowance[:, None]))] = np.inf
    edits = np.ceil(np.minimum(quotient.min(axis=1), reach + 1)) - 1
    edits = np.clip(np.nan_to_num(edits, nan=0.0), 0, reach).astype(np.int64)
    return np.where(margins.min(axis=1) > 0, edits, NO_ANSWER)


def edited_text(batch: Batch, index: int, operation: Operation, position: int, symbol: int) -> Text:
    """Carry an edit of the ids over to the text they came from; symbol 0 for a deletion."""
    alphabet = batch.model.alphabet
    brought = alphabet.decode([symbol]) if symbol else None
    return apply_to_original(alphabet, batch.texts[index], [Edit(operation, position, brought)])


def is_counterexample(model: WindowModel, text: Text, label: int) -> bool:
    """Ask the model itself whether the label fails to win strictly."""
    scores = model.encoded_scores(model.alphabet.encode_many([text]))[0]
    return not np.delete(scores, label).max() < scores[label]
