"""Dynamic programming over chains of edits (levcert.certifiers.search.edit_chains has the theorem)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from levcert.kernels.compile import kernel

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


@kernel
def chain_totals(lone: Floats, destroyed: Floats, shared: Floats, totals: Floats) -> None:
    """totals[e] = a bound of the loss of e edits, for one class.

    ``lone[kind, t, l, r]``: new windows that hold this edit only; ``destroyed[kind, t, g]``: windows of the text that
    it destroys beyond those that the edit g symbols before it destroys; ``shared[kind, l, g]``: new windows that hold
    it, the edit g symbols after it, and none before it.  In all three, R − 1 symbols stand for that many or more.
    """
    kinds, slots, reach, _ = lone.shape
    length, most = slots - 1, totals.size - 1
    # open_[kind, t, l]: the most that edits lose of which the last one is (kind, t) with l symbols since the one
    # before, all counted but the new windows of that last one.
    open_, after = np.empty((kinds, slots, reach)), np.empty((kinds, slots, reach))
    far = np.empty(slots + 1)  # far[s]: the most that edits lose whose last one ends before symbol s, all counted
    for e in range(1, most + 1):
        for kind in range(kinds):
            for t in range(slots):
                for g in range(reach):
                    after[kind, t, g] = -np.inf
        if e == 1:
            for kind in range(kinds):
                for t in range(slots):
                    after[kind, t, reach - 1] = destroyed[kind, t, reach - 1]
        else:
            _near(lone, destroyed, shared, open_, after)
            _closed(lone, open_, far)
            best = -np.inf
            for t in range(slots):
                if t - (reach - 1) >= 0:
                    best = max(best, far[t - (reach - 1)])
                for kind in range(kinds):
                    after[kind, t, reach - 1] = max(after[kind, t, reach - 1], best + destroyed[kind, t, reach - 1])
        _closed(lone, after, far)
        totals[e] = -np.inf
        for s in range(length + 2):
            totals[e] = max(totals[e], far[s])
        open_, after = after, open_


@kernel
def _near(lone: Floats, destroyed: Floats, shared: Floats, open_: Floats, after: Floats) -> None:
    """Add one edit fewer than R − 1 symbols after the last one."""
    kinds, slots, reach, _ = lone.shape
    for kind in range(kinds):
        for t in range(slots):
            start = t if kind == 1 else t + 1  # the first symbol after an insertion at t is t itself
            for left in range(reach):
                so_far = open_[kind, t, left]
                if so_far == -np.inf:
                    continue
                for g in range(min(reach - 1, slots - start)):
                    value = so_far + lone[kind, t, left, g] + shared[kind, left, g]
                    for other in range(kinds):
                        total = value + destroyed[other, start + g, g]
                        if total > after[other, start + g, g]:
                            after[other, start + g, g] = total


@kernel
def _closed(lone: Floats, open_: Floats, far: Floats) -> None:
    """Count the new windows of the last edit, when no other follows nearby."""
    kinds, slots, reach, _ = lone.shape
    for s in range(far.size):
        far[s] = -np.inf
    for kind in range(kinds):
        for t in range(slots):
            start = t if kind == 1 else t + 1
            if start <= slots:
                for left in range(reach):
                    total = open_[kind, t, left] + lone[kind, t, left, reach - 1]
                    far[start] = max(far[start], total)
