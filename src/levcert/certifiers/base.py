"""What every certifier is given, what it returns, and the arithmetic that they share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import cached_property
from typing import ClassVar, Final, Self, TypeGuard

import numpy as np
import numpy.typing as npt

from levcert.models.any_classifier import Classifier
from levcert.models.window import WindowModel
from levcert.text.alphabet import EncodedTexts, Ids, Text
from levcert.text.edits import Edit, Operation
from levcert.text.model_view import typed
from levcert.text.threat import AllowedEdits, Threat

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
    undecided: str | None = None  # the limit that ended the search, if one did before the radius was exact
    calls: int | None = None  # texts that the classifier was asked about
    base_label: str | None = None  # the classifier's own label, where another, smoothed one is certified


@dataclass(frozen=True)
class Batch:
    """Texts of one model, encoded and scored.

    With a ``target``, one class of the model, the question is whether edits give a text that label; without one,
    whether they change its label at all.  No text of a batch has the label ``target`` as it is.
    """

    model: WindowModel
    texts: Sequence[Text]
    threat: Threat
    target: int | None = None

    @cached_property
    def encoded(self) -> EncodedTexts:
        return self.model.alphabet.encode_many(self.texts)

    @cached_property
    def scores(self) -> Array:
        return self.model.encoded_scores(self.encoded)

    @cached_property
    def best(self) -> Integers:
        """The number of each text's label: the highest score, and the first of equal scores."""
        best: Integers = self.scores.argmax(axis=1)
        return best

    @cached_property
    def margins(self) -> Array:
        """How much class ŷ must gain on the label y to replace it: f_y − f_ŷ, and one unit more if ŷ comes after y.

        Of equal scores the first wins.  So ŷ takes over if f_ŷ ≥ f_y and ŷ < y, or if f_ŷ > f_y; with scores that are
        whole numbers of units, the second is f_ŷ ≥ f_y + unit.  A loss changes the label if it reaches the margin.
        The column of y itself is infinite.  With a target, so are all columns but the target's: a text gets the label
        ``target`` only if the target takes over from y, regardless of the other classes.
        """
        rows, classes = np.arange(len(self.texts)), np.arange(self.model.classes)
        margins = self.scores[rows, self.best][:, None] - self.scores
        margins += self.model.score_unit * (classes > self.best[:, None])
        margins[rows, self.best] = np.inf
        if self.target is not None:
            margins[:, classes != self.target] = np.inf
        return margins

    @cached_property
    def margin(self) -> Array:
        """f_y minus the next best score, or minus the score of the target: 0 for a tie."""
        if self.target is not None:
            to_target: Array = self.scores.max(axis=1) - self.scores[:, self.target]
            return to_target
        ordered = np.sort(self.scores, axis=1)
        return ordered[:, -1] - ordered[:, -2]

    @cached_property
    def allowed(self) -> AllowedEdits:
        """The threat in ids; all texts of a batch hold dropped characters, or none does (see ``batches``)."""
        dropped = self.model.alphabet.drops and len(self.encoded.ids) < sum(map(len, self.texts))
        return self.threat.allowed(self.model.alphabet, dropped=dropped)

    @cached_property
    def present(self) -> npt.NDArray[np.bool_]:
        """Whether text n holds symbol a, as present[n, a − 1]."""
        present = np.zeros((len(self.texts), self.model.alphabet.size + 1), dtype=bool)
        for row, ids in zip(present, self.encoded, strict=True):
            row[ids] = True
        return present[:, 1:]

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
        """The largest radius that is ever claimed: the allowance covers texts up to this many edits away."""
        return 3 * (self.encoded.lengths + self.model.width) + 10


class Method(ABC):
    """A certification method: one of the two kinds below."""

    name: ClassVar[str]
    needs: ClassVar[str]  # which classifiers it works for

    def limited(self, max_distance: int | None, budget: float | None) -> Self:
        """Return this method with limits: stop at radius ``max_distance``, and after ``budget`` seconds per text.

        A method that can stop early has fields of these names.  A limit that it was made with stays.
        """
        own: set[str] = {field.name for field in fields(self)} if is_dataclass(self) else set()
        limits = {"max_distance": max_distance, "budget": budget}
        return replace(self, **{k: v for k, v in limits.items() if k in own and getattr(self, k) is None})  # type: ignore[type-var]


class ClassifierMethod(Method):
    """A method for any classifier: it queries labels, one text at a time."""

    @abstractmethod
    def threat(self, threat: Threat) -> Threat:
        """Return the threat model that is really certified when ``threat`` is requested; certificates name it."""

    @abstractmethod
    def verdict(
        self, classifier: Classifier, text: Text, threat: Threat, target: str | None = None
    ) -> tuple[str, Verdict]:
        """Return the label of a text, and how many edits cannot change it, or cannot make it ``target``."""


class Certifier(Method):
    """A method for window models: it sees their windows, and answers whole batches."""

    @abstractmethod
    def verdicts(self, batch: Batch) -> list[Verdict]:
        """Return one verdict per text."""


class OnePass(Certifier):
    """A method that answers a batch with arrays, and makes the same claim for all of its texts."""

    @abstractmethod
    def bounds(self, batch: Batch) -> tuple[Integers, str]:
        """Return the certified radius of each text, and what is claimed."""

    def verdicts(self, batch: Batch) -> list[Verdict]:
        found, claim = self.bounds(batch)
        return [Verdict(int(k), claim, float(margin)) for k, margin in zip(found, batch.margin, strict=True)]


def radii(margins: Array, constants: Array, allowance: Array, reach: Integers) -> Integers:
    """Return for each text the largest k with margin − k·G > allowance for all other classes.

    k = ⌈(margin − allowance)/G⌉ − 1, because the inequality is strict (the paper's ⌊margin/G⌋ is wrong on exact
    multiples).  A text that wins by less than the allowance has radius 0.
    """
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        quotient = (margins - allowance[:, None]) / constants * _DOWN
    quotient[np.isinf(margins) | ((constants == 0) & (margins > allowance[:, None]))] = np.inf
    edits = np.ceil(np.minimum(quotient.min(axis=1), reach + 1)) - 1
    clipped: Integers = np.clip(np.nan_to_num(edits, nan=0.0), 0, reach).astype(np.int64)
    return clipped


def batches(
    model: WindowModel, texts: Sequence[Text], threat: Threat, target: int | None = None
) -> list[tuple[Integers, Batch]]:
    """Group texts into batches that allow the same edits of ids; each comes with the numbers of its texts.

    Texts that have the label ``target`` already are in none of them.
    """
    everything: Integers = np.arange(len(texts))
    if target is not None:
        everything = everything[Batch(model, texts, threat).best != target]
    if threat.unrestricted or not model.alphabet.drops:
        groups = [everything]
    else:
        dropped = model.alphabet.encode_many(texts).lengths < np.fromiter(map(len, texts), np.int64, len(texts))
        groups = [everything[~dropped[everything]], everything[dropped[everything]]]
    return [(rows, Batch(model, [texts[row] for row in rows.tolist()], threat, target)) for rows in groups if len(rows)]


def edited_text(batch: Batch, index: int, operation: Operation, position: int, symbol: int) -> Text | None:
    """Carry an edit of the ids (symbol 0: a deletion) over to the text they came from; None if it cannot be typed."""
    alphabet = batch.model.alphabet
    brought = alphabet.decode([symbol]) if symbol else None
    return typed(alphabet, batch.threat, batch.texts[index], [Edit(operation, position, brought)])


def is_counterexample(text: Text | None, batch: Batch, index: int) -> TypeGuard[Text]:
    """Ask the model itself whether it gives a text another label than that of a batch: with a target, that one."""
    return text is not None and are_counterexample(batch.model.alphabet.encode(text), batch, index)


def are_counterexample(ids: Ids, batch: Batch, index: int) -> bool:
    """As :func:`is_counterexample`, of ids."""
    found = int(batch.model.encoded_scores(EncodedTexts.single(ids))[0].argmax())
    return found != int(batch.best[index]) if batch.target is None else found == batch.target
