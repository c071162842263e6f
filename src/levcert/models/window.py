"""Window sums: the one interface that every model has and every algorithm is written against.

A window sum of width R scores a text S by::

    f(S) = Σ_i φ(ŝ_i … ŝ_{i+R−1})        over all windows of S padded with zeros, with φ(0 … 0) = 0

where φ gives one number per class.  The paper's network is one, because it has no bias and ReLU(0) = 0; a
bag of character n-grams is one, too.  **One edit changes at most R windows**, and edits at least R apart do
not interact: this is what makes exact search possible and bounds tight.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from levcert.errors import InputError
from levcert.models.tap_bounds import UNDERFLOW, TapCosts, WindowRange
from levcert.models.training_record import TrainingRecord
from levcert.text.alphabet import Alphabet, EncodedTexts, Ids, Text

Scores = npt.NDArray[np.float64]
Positions = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]
_WINDOW_IDS_AT_ONCE = 1 << 22  # bounds the memory of edit effects to some tens of megabytes


@dataclass(frozen=True)
class EditEffects:
    """What each single edit of a text does to its scores: f(edited) − f(text), one number per class.

    ``substitutions[t, c − 1]`` puts the symbol with id c in place of the one at t, ``insertions[t, c − 1]`` puts
    it before position t (t = length: at the end), ``deletions[t]`` removes the symbol at t.
    """

    insertions: Scores  # (length + 1) × symbols × classes
    deletions: Scores  # length × classes
    substitutions: Scores  # length × symbols × classes


class WindowModel(ABC):
    """A classifier that is a sum over windows; subclasses say what one window scores.

    ``window_scores`` must give a window the same bits whatever other windows it is asked for: a verdict must
    not depend on the batch it was computed in.
    """

    alphabet: Alphabet
    labels: tuple[str, ...]
    has_quick_chains: ClassVar[bool] = False  # whether lone_losses takes milliseconds: then every exact search uses it
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
        """Return how far a computed score of a text with so many windows can be from the real sum Σ φ.

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
        """Write the model to one ``.safetensors`` file, whole or not at all."""
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
        labels: npt.NDArray[np.str_] = np.array(self.labels)[best]
        return labels

    def encoded_scores(self, texts: EncodedTexts) -> Scores:
        """Return the scores of texts that are already ids."""
        scores = np.zeros((len(texts), self.classes))
        for row, ids in zip(scores, texts, strict=True):
            row[:] = self.window_scores(windows_of(ids, self.width)).sum(axis=0)
        return scores

    def edit_effects(self, ids: Ids, first: int = 0, last: int | None = None) -> EditEffects:
        """Return the effect of every single edit, evaluating only the windows that an edit touches.

        At most R windows appear and R disappear, so this costs about 2·length·symbols·R windows instead of the
        2·length²·symbols of naive enumeration.  With ``first`` and ``last``, only insertions before the positions
        first … last − 1 and substitutions and deletions there (a text of length m has the cuts 0 … m).
        """
        length, side = len(ids), self.width - 1
        last = length + 1 if last is None else last
        cuts, places = np.arange(first, last), np.arange(first, min(last, length))
        padded = pad(ids, side)
        parts = np.lib.stride_tricks.sliding_window_view(padded, side)
        before, after = parts[cuts], parts[cuts + side]  # what is left of a cut, and what is right of it
        # Sums of windows: those that straddle a cut, those that hold a symbol, those when it is gone.
        cut = self.context_scores(np.concatenate([before, after], axis=1))
        rest = parts[places + side + 1]
        middle = padded[places + side, None]
        held = self.context_scores(np.concatenate([before[: len(places)], middle, rest], axis=1))
        joined = self.context_scores(np.concatenate([before[: len(places)], rest], axis=1))
        return EditEffects(
            insertions=self.hole_scores(padded, cuts + side, cuts + side) - cut[:, None],
            deletions=joined - held,
            substitutions=self.hole_scores(padded, places + side, places + side + 1) - held[:, None],
        )

    def hole_scores(self, padded: Ids, lefts: Positions, rights: Positions) -> Scores:
        """Return for all n and symbols c the sum of φ over the R windows that hold c in hole n.

        Left of hole n stands padded[: lefts[n]], right of it padded[rights[n] :].
        """
        sums = np.empty((len(lefts), self.alphabet.size, self.classes))
        for part, contexts in self.hole_contexts(padded, lefts, rights):
            sums[part] = self.context_scores(contexts).reshape(-1, *sums.shape[1:])
        return sums

    def hole_window_scores(self, padded: Ids, lefts: Positions, rights: Positions) -> Scores:
        """Return φ of each single window that holds c at tap j of hole n: holes × taps × classes × symbols."""
        width, symbols = self.width, self.alphabet.size
        scores = np.empty((len(lefts), width, self.classes, symbols))
        for part, contexts in self.hole_contexts(padded, lefts, rights):
            for j in range(width):  # the window with the hole at tap j begins j symbols before it
                windows = np.ascontiguousarray(contexts[:, width - 1 - j : 2 * width - 1 - j])
                of_tap = self.window_scores(windows).reshape(-1, symbols, self.classes)
                scores[part, j] = of_tap.transpose(0, 2, 1)
        return scores

    def replacement_costs(self, label: int) -> Scores | None:
        """Return d_j(a, b) of the margins of ``label``: classes × taps × symbols × symbols; None if not known."""
        return None

    def lone_losses(self, ids: Ids, label: int, insert: Mask, delete: Mask, replace: Mask) -> Scores:
        """Return what the new windows around each single edit can take from the margins of ``label``.

        Kinds (substitution, insertion, deletion) × slots × R × R × classes: the entry [kind, t, l, r] counts windows
        of all parts that hold at most l symbols left of the edit and at most r right of it, and is the largest over
        the symbols that the edit may bring; −∞ if there is none.
        """
        length, width = len(ids), self.width
        losses = np.full((3, length + 1, width, width, self.classes), -np.inf)
        step = max(1, _WINDOW_IDS_AT_ONCE // (width**2 * self.classes * self.alphabet.size))
        for first in range(0, length + 1, step):
            cuts = np.arange(first, min(first + step, length + 1))
            gains = self._lone_gains(pad(ids, width - 1), length, cuts)
            loss = gains - gains[..., label, None, :]
            places = cuts[cuts < length]
            loss[0, : len(places)] = np.where(
                replace[ids[places] - 1][:, None, None, None], loss[0, : len(places)], -np.inf
            )
            loss[1, ..., ~insert] = -np.inf
            loss[[0, 2], len(places) :] = -np.inf
            loss[2, : len(places)][~delete[ids[places] - 1]] = -np.inf
            losses[:, cuts] = loss.max(axis=-1, initial=-np.inf)
        return losses

    def _lone_gains(self, padded: Ids, length: int, cuts: Positions) -> Scores:
        """Return the sums of new windows around edits at some cuts: kinds × cuts × R × R × classes × symbols."""
        width, places = self.width, cuts[cuts < length]
        gains = np.zeros((3, len(cuts), width, width, self.classes, self.alphabet.size))
        for part in self.parts:
            n = part.width
            for kind, slots in ((0, places), (1, cuts)):
                at = slots + width - 1
                filled = part.hole_window_scores(padded, at, at + (kind == 0))
                for a in range(n):
                    gains[kind, : len(at), a, n - 1 - a] += filled[:, a]
            for a in range(1, n):  # a deletion's window: a symbols before the deleted one, n − a after it
                taps = np.r_[width - 1 - a : width - 1, width : width + n - a]
                windows = np.ascontiguousarray(padded[places[:, None] + taps])
                gains[2, : len(places), a, n - a] += part.window_scores(windows)[..., None]
        sums: Scores = gains.cumsum(axis=2).cumsum(axis=3)
        return sums

    def hole_contexts(self, padded: Ids, lefts: Positions, rights: Positions) -> Iterator[tuple[slice, Ids]]:
        """Give the 2R − 1 ids around each hole with each symbol in it, some holes at a time."""
        symbols, side = self.alphabet.size, self.width - 1
        parts = np.lib.stride_tricks.sliding_window_view(padded, side)
        middle = np.arange(1, symbols + 1, dtype=np.int32)[None, :, None]
        step = max(1, _WINDOW_IDS_AT_ONCE // (symbols * self.width**2))
        for start in range(0, len(lefts), step):
            part = slice(start, start + step)
            pieces = (parts[lefts[part] - side, None], middle, parts[rights[part], None])
            shape = (len(lefts[part]), symbols)
            filled = np.concatenate([np.broadcast_to(piece, (*shape, piece.shape[2])) for piece in pieces], axis=2)
            yield part, filled.reshape(-1, 2 * side + 1)

    def context_scores(self, contexts: Ids) -> Scores:
        """Return the sum of φ over all windows inside each row of ids; models with a faster way override it."""
        count = contexts.shape[1] - self.width + 1
        if count < 1 or not len(contexts):
            return np.zeros((len(contexts), self.classes))
        windows = np.lib.stride_tricks.sliding_window_view(contexts, self.width, axis=1)
        scores = self.window_scores(np.ascontiguousarray(windows.reshape(-1, self.width)))
        sums: Scores = scores.reshape(len(contexts), count, self.classes).sum(axis=1)
        return sums


def windows_of(ids: Ids, width: int) -> Ids:
    """Return every window of the padded text that holds at least one of its characters."""
    if width < 1:
        raise InputError(f"A window has at least one character, not {width}.")
    if not len(ids):
        return np.zeros((0, width), dtype=np.int32)
    windows = np.lib.stride_tricks.sliding_window_view(pad(ids, width - 1), width)
    return np.ascontiguousarray(windows)


def pad(ids: Ids, side: int) -> Ids:
    """Put ``side`` padding symbols at both ends."""
    return np.pad(np.asarray(ids, dtype=np.int32), side)
