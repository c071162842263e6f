"""Window sums: the one interface that every model has and every algorithm is written against.

A window sum of width R scores a text S by::

    f(S) = Σ_i φ(ŝ_i … ŝ_{i+R−1})        over all windows of S padded with zeros, with φ(0 … 0) = 0

where φ gives one number per class.  The paper's network is one, because it has no bias and ReLU(0) = 0; a
bag of character n-grams is one, too.  **One edit changes at most R windows**, and edits at least R apart do
not interact: this is what makes exact search possible and bounds tight.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from levcert.errors import InputError
from levcert.models import edit_effects
from levcert.models.calibration import probabilities
from levcert.models.edit_effects import EditEffects, Mask, Positions, Scores, windows_of
from levcert.models.tap_bounds import UNDERFLOW, TapCosts, WindowRange
from levcert.models.training_record import TrainingRecord
from levcert.text.alphabet import Alphabet, EncodedTexts, Ids, Text


class WindowModel(ABC):
    """A classifier that is a sum over windows; subclasses say what one window scores.

    ``window_scores`` must give a window the same bits, no matter which other windows are scored with it: a verdict must
    not depend on the batch it was computed in.

    Examples:
        >>> model = levcert.load("toy.safetensors")
        >>> isinstance(model, levcert.WindowModel), model.width
        (True, 3)
        >>> model.scores(["hello"]).shape
        (1, 2)
    """

    alphabet: Alphabet
    labels: tuple[str, ...]
    training: TrainingRecord = TrainingRecord()

    @property
    @abstractmethod
    def width(self) -> int:
        """R, the number of characters in a window."""

    @abstractmethod
    def window_scores(self, windows: Ids) -> Scores:
        """Return φ of given windows: ids of shape n × R to float64 scores of shape n × classes."""

    @property
    def classes(self) -> int:
        return len(self.labels)

    @abstractmethod
    def rounding(self, windows: int) -> float:
        """Return how far a computed score of a text with this many windows can be from the real sum Σ φ.

        Certificates are decided with this allowance, so that they hold for the scores as computed.
        """

    @property
    def score_unit(self) -> float:
        """Every score of a text is a whole number of these; by default the smallest float64."""
        return UNDERFLOW

    @property
    def tap_costs(self) -> TapCosts | None:
        """What one edit can take from a margin, tap by tap; None where a model cannot tell."""
        return None

    @property
    def window_range(self) -> WindowRange | None:
        """The range of one window's margin; None where a model cannot tell."""
        return None

    def save(self, path: str | Path) -> None:
        """Write the model to one ``.safetensors`` file, completely or not at all."""
        raise InputError(f"There is no file format for a {type(self).__name__}.")

    @property
    def parts(self) -> tuple[WindowModel, ...]:
        """Window sums whose scores add up to this one's: an edit touches fewer windows of the narrower ones."""
        return (self,)

    def scores(self, texts: Sequence[Text]) -> Scores:
        """Return the scores of texts, one row each and one column per class."""
        return self.encoded_scores(self.alphabet.encode_many(texts))

    def predict(self, texts: Sequence[Text]) -> npt.NDArray[np.str_]:
        """Return the label with the highest score of each text; of equal ones, the first."""
        best = self.encoded_scores(self.alphabet.encode_many(texts)).argmax(axis=1)
        return np.array([self.labels[y] for y in best], dtype=np.str_)

    def probabilities(self, texts: Sequence[Text]) -> Scores:
        """Return softmax(f/T) of the scores, with the temperature T that training fitted to held-out rows."""
        return probabilities(self.scores(texts), self.training.temperature)

    def encoded_scores(self, texts: EncodedTexts) -> Scores:
        """Return the scores of texts that are already ids."""
        scores = np.zeros((len(texts), self.classes))
        for row, ids in zip(scores, texts, strict=True):
            row[:] = self.window_scores(windows_of(ids, self.width)).sum(axis=0)
        return scores

    def replacement_costs(self, label: int) -> Scores | None:
        """Return d_j(a, b) of the margins of ``label``: classes × taps × symbols × symbols; None if not known."""
        return None

    # What edits do to the scores: the obvious ways are in levcert.models.edit_effects; a faster model overrides these.

    def edit_effects(self, ids: Ids, first: int = 0, last: int | None = None) -> EditEffects:
        """Return what every single edit does to the scores; with ``first`` and ``last``, of those positions only."""
        return edit_effects.edit_effects(self, ids, first, last)

    def context_scores(self, contexts: Ids) -> Scores:
        """Return the sum of φ over all windows inside each row of ids."""
        return edit_effects.context_scores(self, contexts)

    def hole_scores(self, padded: Ids, lefts: Positions, rights: Positions) -> Scores:
        """Return for all n and symbols c the sum of φ over the R windows that hold c in hole n.

        Left of hole n stands padded[: lefts[n]], right of it padded[rights[n] :].
        """
        return edit_effects.hole_scores(self, padded, lefts, rights)

    def hole_window_scores(self, padded: Ids, lefts: Positions, rights: Positions) -> Scores:
        """Return φ of each single window that holds c at tap j of hole n: holes × taps × classes × symbols."""
        return edit_effects.hole_window_scores(self, padded, lefts, rights)

    def lone_losses(self, ids: Ids, label: int, insert: Mask, delete: Mask, replace: Mask) -> Scores:
        """Return what the new windows around each single edit can take from the margins of ``label``.

        Operations × slots × R × R × classes: the entry [operation, t, l, r] counts windows of all parts that hold at
        most l symbols left of the edit and at most r right of it, and is the largest over the symbols that the edit
        may bring; −∞ if there is none.
        """
        return edit_effects.lone_losses(self, ids, label, insert, delete, replace)
