"""The slow, obvious implementation of window sums: whole texts, one window at a time, Python sums.

Every fast path of the project is compared with these.
"""

import numpy as np
from hypothesis import strategies as st

from levcert import Alphabet
from levcert.models.edit_effects import EditEffects
from levcert.models.tap_bounds import WindowRange
from levcert.models.votes import VoteModel
from levcert.models.window import WindowModel


def slow_scores(model: WindowModel, ids) -> np.ndarray:
    """Σ φ over all windows of the padded text."""
    side = [0] * (model.width - 1)
    padded = [*side, *ids, *side]
    total = np.zeros(model.classes)
    for start in range(len(padded) - model.width + 1):
        window = np.array([padded[start : start + model.width]], dtype=np.int32)
        total = total + model.window_scores(window)[0]
    return total


def slow_edit_effects(model: WindowModel, ids) -> EditEffects:
    """Score every edited text from scratch."""
    ids = list(ids)
    base = slow_scores(model, ids)
    symbols = range(1, model.alphabet.size + 1)

    def effects(rows, shape):
        return np.array([slow_scores(model, row) - base for row in rows]).reshape(*shape, model.classes)

    m, V = len(ids), model.alphabet.size
    return EditEffects(
        insertions=effects([[*ids[:t], c, *ids[t:]] for t in range(m + 1) for c in symbols], (m + 1, V)),
        deletions=effects([[*ids[:t], *ids[t + 1 :]] for t in range(m)], (m,)),
        substitutions=effects([[*ids[:t], c, *ids[t + 1 :]] for t in range(m) for c in symbols], (m, V)),
    )


class AnyWindowModel(WindowModel):
    """A window sum with nothing special about it: every window has pseudo-random scores, padding has 0."""

    def __init__(self, alphabet, labels, width, seed=0):
        self.alphabet, self.labels, self._width, self._seed = alphabet, tuple(labels), width, seed

    @property
    def width(self):
        return self._width

    def rounding(self, windows):
        return 0.0  # sums of small integers are exact

    @property
    def score_unit(self):
        return 1.0

    def window_scores(self, windows):
        rows = [
            np.random.default_rng([self._seed, *map(int, window)]).integers(-8, 9, self.classes) if window.any() else
            np.zeros(self.classes)
            for window in windows
        ]  # fmt: skip
        return np.array(rows, dtype=np.float64).reshape(-1, self.classes)


class RangedWindowModel(AnyWindowModel):
    """As above, and it knows that margins of windows lie in [−16, 16]."""

    @property
    def window_range(self):
        limit = 16.0 * (1 - np.eye(self.classes))
        return WindowRange(-limit, limit)


def random_votes(seed, symbols=3, orders=(2, 3), classes=2, largest=127, share=1.0):
    """Return a model with random votes for a share of its rows."""
    rng = np.random.default_rng(seed)
    shape = (len(orders), 2**12, classes)
    votes = rng.integers(-largest, largest + 1, shape) * (rng.random((*shape[:2], 1)) < share)
    return VoteModel(Alphabet("abcde"[:symbols]), votes.astype(np.int8), orders)


VOTE_MODELS = st.builds(
    random_votes,
    seed=st.integers(0, 10**6),
    symbols=st.integers(1, 4),
    orders=st.sets(st.integers(1, 5), min_size=1, max_size=3).map(lambda orders: tuple(sorted(orders))),
    classes=st.integers(2, 3),
    largest=st.sampled_from([1, 5, 127]),
    share=st.sampled_from([1.0, 0.3]),
)
