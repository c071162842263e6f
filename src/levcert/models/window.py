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
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from levcert.alphabet import Alphabet, EncodedTexts, Ids, Text
from levcert.errors import InputError

Scores = npt.NDArray[np.float64]
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

    def scores(self, texts: Sequence[Text]) -> Scores:
        """Return the scores of texts, one row each and one column per class."""
        return self.encoded_scores(self.alphabet.encode_many(texts))

    def predict(self, texts: Sequence[Text]) -> npt.NDArray[np.str_]:
        """Return the label with the highest score of each text; of equal ones, the first."""
        labels: npt.NDArray[np.str_] = np.array(self.labels)[self.scores(texts).argmax(axis=1)]
        return labels

    def encoded_scores(self, texts: EncodedTexts) -> Scores:
        """Return the scores of texts that are already ids."""
        scores = np.zeros((len(texts), self.classes))
        for row, ids in zip(scores, texts, strict=True):
            row[:] = self.window_scores(windows_of(ids, self.width)).sum(axis=0)
        return scores

    def edit_effects(self, ids: Ids) -> EditEffects:
        """Return the effect of every single edit, evaluating only the windows that an edit touches.

        At most R windows appear and R disappear, so this costs about 2·length·symbols·R windows instead of the
        2·length²·symbols of naive enumeration.
        """
        length, symbols, side = len(ids), self.alphabet.size, self.width - 1
        padded = _padded(ids, side)
        before = np.lib.stride_tricks.sliding_window_view(padded, side)[: length + 1]  # what is left of position t
        after = np.lib.stride_tricks.sliding_window_view(padded, side)[side:]  # position t and what is right of it
        # Sums of windows: those that straddle the cut before t, and those that hold the symbol at t.
        cut = self.context_scores(np.concatenate([before, after], axis=1))
        around = np.concatenate([before[:-1], padded[side : side + length, None], after[1:]], axis=1)
        held = self.context_scores(around)
        joined = self.context_scores(np.concatenate([before[:-1], after[1:]], axis=1))
        return EditEffects(
            insertions=self._with_each_symbol(before, after, symbols) - cut[:, None],
            deletions=joined - held,
            substitutions=self._with_each_symbol(before[:-1], after[1:], symbols) - held[:, None],
        )

    def _with_each_symbol(self, left: Ids, right: Ids, symbols: int) -> Scores:
        """Return Σ φ over the R windows that hold c between left[t] and right[t], for all t and c."""
        sums = np.empty((len(left), symbols, self.classes))
        middle = np.arange(1, symbols + 1, dtype=np.int32)[None, :, None]
        step = max(1, _WINDOW_IDS_AT_ONCE // (symbols * self.width**2))
        for start in range(0, len(left), step):
            part = slice(start, start + step)
            shape = (len(left[part]), symbols, -1)
            sides = [np.broadcast_to(side[part, None], (*shape[:2], side.shape[1])) for side in (left, right)]
            contexts = np.concatenate([sides[0], np.broadcast_to(middle, (*shape[:2], 1)), sides[1]], axis=2)
            sums[part] = self.context_scores(contexts.reshape(-1, contexts.shape[2])).reshape(*shape)
        return sums

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
    windows = np.lib.stride_tricks.sliding_window_view(_padded(ids, width - 1), width)
    return np.ascontiguousarray(windows)


def _padded(ids: Ids, side: int) -> Ids:
    return np.pad(np.asarray(ids, dtype=np.int32), side)


def check_labels(labels: Sequence[str]) -> tuple[str, ...]:
    """Return the labels of a classifier, at least two and all different."""
    labels = tuple(labels)
    if len(labels) < 2 or len(set(labels)) < len(labels) or not all(isinstance(x, str) for x in labels):
        raise InputError(f"A classifier needs at least two different labels as strings, not {labels!r}.")
    return labels
