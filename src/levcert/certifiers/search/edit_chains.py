"""Any number of edits in one dynamic programme: single edits exactly, neighbours by what their windows can hold.

A script of edits, left to right, destroys the windows of the text that touch an edit and makes new ones that hold one.
Let g be the number of symbols kept between one edit and the next, and n the width of a window.

* **Destroyed** windows are those of the text, so what they scored is known.  An edit g symbols after another destroys
  only the windows that the other has left: those that end at least n − 1 − g later.
* **Lone** windows hold one edit: what they score depends on its symbol only, and is maximised over that symbol exactly.
* **Shared** windows hold two edits or more: n − 1 − g of them hold an edit and the next.  Each scores at least the
  lowest window of the model.  Counting each at its leftmost edit, those at an edit with l kept symbols on its left are
  min(l + 1, n − 1 − g), or min(l, n − 1 − g) for a deletion, which has no symbol of its own.

The most that e edits can lose is the longest path over (kind of edit, position, kept symbols since the last edit).
Edits R − 1 or more symbols apart share nothing, so for them the bound is exact, and for a single edit it is the exact
worst case (Theorem "Chains", docs/soundness.md).  The cost is that of all single edits, plus edits·length·R².
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from levcert.certifiers.base import Array, Batch, Certifier, Verdict
from levcert.certifiers.lipschitz import window_ranges
from levcert.errors import InputError
from levcert.models.tap_bounds import WindowRange
from levcert.models.window import Mask, WindowModel, windows_of
from levcert.text.alphabet import Ids
from levcert.text.edits import Operation

_FIRST_EDITS = 4  # totals are computed for so many edits, then for twice as many, until the margin is used up


@dataclass(frozen=True)
class Chains(Certifier):
    """The largest k with margin − (bound of the loss of k edits) > 0 for every other class."""

    name: ClassVar[str] = "chains"
    needs: ClassVar[str] = "a model with bounded windows (votes, or a convolution with tanh)"
    largest_distance: ClassVar[int | None] = None

    enough: int | None = None  # a radius beyond which nothing more is computed
    symbols: bool = (
        True  # False: lone windows count as lowest, too, and no symbol is tried: the text's windows are known
    )

    def verdicts(self, batch: Batch) -> list[Verdict]:
        ranges = window_ranges(batch.model)
        if ranges is None:
            raise InputError(f"chains needs {self.needs}; use exact for this one.")
        return [
            Verdict(self.radius(batch, index, ranges), "proved", float(batch.margin[index]))
            for index in range(len(batch.texts))
        ]

    def radius(self, batch: Batch, index: int, ranges: list[tuple[int, WindowRange]]) -> int:
        margins, label = batch.margins[index], int(batch.best[index])
        allowance = 4 * batch.allowance[index]  # for each edit: its terms are differences of long sums
        most = int(batch.reach[index]) if self.enough is None else min(self.enough, int(batch.reach[index]))
        costs = ChainCosts.of(batch, index, ranges, symbols=self.symbols)
        edits, radius = min(_FIRST_EDITS, most), most
        for other in range(batch.model.classes):
            if other == label:
                continue
            while True:
                spare = margins[other] - allowance * np.arange(2, edits + 2)
                kept = (spare > costs.totals(other, edits)[1:]).cumprod().sum()
                if kept < edits or edits >= radius:
                    radius = min(radius, int(kept))
                    break
                edits = min(2 * edits, radius)
            edits = min(edits, max(radius, 1))
        return radius


@dataclass(frozen=True)
class ChainCosts:
    """The three kinds of losses for one text, all other classes in the last axis."""

    lone: Array  # kinds × slots × R × R × classes
    destroyed: Array  # kinds × slots × R × classes
    shared: Array  # kinds × R × R × classes

    @classmethod
    def of(cls, batch: Batch, index: int, ranges: list[tuple[int, WindowRange]], *, symbols: bool = True) -> ChainCosts:
        model, ids, label, allowed = batch.model, batch.encoded[index], int(batch.best[index]), batch.allowed
        lowest = [(width, -np.minimum(found.low[label], 0)) for width, found in ranges]
        if symbols:
            lone = model.lone_losses(ids, label, allowed.insert, allowed.delete, allowed.replace)
        else:
            lone = _lone_lowest(len(ids), model.width, lowest)
            replaceable: Mask = np.asarray(allowed.replace.any(axis=1))
            lone[Operation.SUBSTITUTE, :-1][~replaceable[ids - 1]] = -np.inf
            if not allowed.insert.any():
                lone[Operation.INSERT] = -np.inf
            lone[Operation.DELETE, :-1][~allowed.delete[ids - 1]] = -np.inf
        return cls(lone, _destroyed(model, ids, label), _shared(model.width, lowest))

    def totals(self, other: int, edits: int) -> Array:
        """Return bounds of the loss against a class for 0 … ``edits`` edits: never less for more edits."""
        from levcert.kernels.edit_chains import chain_totals

        totals = np.zeros(edits + 1)
        lone, destroyed, shared = (
            np.ascontiguousarray(part[..., other]) for part in (self.lone, self.destroyed, self.shared)
        )
        chain_totals(lone, destroyed, shared, totals)
        running: Array = np.maximum.accumulate(totals)
        return running


def _destroyed(model: WindowModel, ids: Ids, label: int) -> Array:
    """Sum what the windows scored that an edit destroys, g symbols after another: ends t + max(0, n−1−g) … t + n − 1.

    An insertion before t spares the window that begins at t.
    """
    length, width = len(ids), model.width
    result = np.zeros((3, length + 1, width, model.classes))
    slots = np.arange(length + 1)
    for part in model.parts:
        n = part.width
        scores = part.window_scores(windows_of(ids, n))
        margins = scores[:, label, None] - scores
        sums = np.zeros((length + 2 * n, model.classes))
        sums[1 : len(margins) + 1] = np.cumsum(margins, axis=0)
        sums[len(margins) + 1 :] = sums[len(margins)]
        for g in range(width):
            first = slots + max(0, n - 1 - g)
            for kind, end in ((Operation.SUBSTITUTE, n), (Operation.INSERT, n - 1), (Operation.DELETE, n)):
                last = np.maximum(slots + end, first)
                result[kind, :, g] += sums[last] - sums[first]
    return result


def _shared(width: int, lowest: list[tuple[int, Array]]) -> Array:
    """Count the new windows that hold an edit, the next one and none before, each as low as a window can be."""
    result = np.zeros((3, width, width, len(lowest[0][1])))
    for kind in Operation:
        for left in range(width):
            for g in range(width):
                for n, low in lowest:
                    result[kind, left, g] += max(0, min(left + (kind != Operation.DELETE), n - 1 - g)) * low
    return result


def _lone_lowest(length: int, width: int, lowest: list[tuple[int, Array]]) -> Array:
    """Count the new windows that hold one edit, each as low as a window can be."""
    result = np.zeros((3, length + 1, width, width, len(lowest[0][1])))
    for kind in Operation:
        own = int(kind != Operation.DELETE)
        for left in range(width):
            for right in range(width):
                for n, low in lowest:
                    # a symbols left and n − own − a right of the edit, at least one on either side of a deletion
                    windows = min(left, n - 1) - max(1 - own, n - own - right) + 1
                    result[kind, :, left, right] += max(0, windows) * low
    result[[Operation.SUBSTITUTE, Operation.DELETE], length] = -np.inf
    return result
