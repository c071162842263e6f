"""Chains in both directions, one number of edits after the other (Theorem "Chains", docs/soundness.md).

For an edit (kind, t) with l kept symbols between it and the edit before, and g between it and the next; R − 1 stands
for that many or more, or for no other edit there:

* ``enter[e, kind, t, l]``: the most that e edits lose of which it is the last, but for the new n-grams of which it is
  the leftmost edit;
* ``leave[e, kind, t, g]``: the same with those n-grams, if the next edit comes after g symbols;
* ``closed[e, s]``: the most that e edits lose that all end before symbol s;
* ``rest[e, kind, t, l]``: the most that it and e − 1 edits after it lose, but for what it destroys;
* ``follow[e, kind, t, g]``: the most that e edits after it lose, the first of them after g symbols;
* ``opened[e, p]``: the most that e edits lose that all begin at symbol p or later.

"e edits" means at most e.  No insertion stands right behind a deletion: before it, it gives the same text.
"""

from __future__ import annotations

from levcert.kernels.compile import kernel
from levcert.kernels.search.ground import DELETION, INSERTION, NEVER, Mask, Numbers, next_symbol, own
from levcert.kernels.search.lone import Gains


@kernel
def shared_gains(orders: Numbers, highest: Numbers, shared: Numbers) -> None:
    """shared[kind, l, g] = the most that the n-grams gain that hold an edit, the next one, and none before."""
    for kind in range(3):
        for left in range(shared.shape[1]):
            for g in range(shared.shape[2]):
                shared[kind, left, g] = 0
                for o in range(orders.size):
                    shared[kind, left, g] += max(0, min(left + own(kind), orders[o] - 1 - g)) * highest[o]


@kernel
def forward(
    e: int,
    possible: Mask,
    lone: Gains,
    destroyed: Gains,
    shared: Numbers,
    enter: Numbers,
    leave: Numbers,
    closed: Numbers,
) -> None:
    """Fill layer e of ``enter``, ``leave`` and ``closed`` from layer e − 1; layer 0 is NEVER, NEVER and 0."""
    _, slots, far = lone.shape[:3]
    far -= 1
    for s in range(slots):
        closed[e, s] = closed[e - 1, s]
    for t in range(slots):
        for kind in range(3):
            for g in range(far + 1):
                enter[e, kind, t, g] = NEVER
                leave[e, kind, t, g] = NEVER
            if not possible[kind, t]:
                continue
            before = closed[e - 1, t - far] if t >= far else 0
            enter[e, kind, t, far] = before + destroyed[kind, t, far]
            for g in range(far):
                best = NEVER
                if t >= g:
                    best = max(best, leave[e - 1, INSERTION, t - g, g])
                if t >= g + 1:
                    best = max(best, leave[e - 1, 0, t - g - 1, g])
                    if not (g == 0 and kind == INSERTION):
                        best = max(best, leave[e - 1, DELETION, t - g - 1, g])
                if best > NEVER:
                    enter[e, kind, t, g] = best + destroyed[kind, t, g]
            for left in range(far + 1):
                so_far = enter[e, kind, t, left]
                if so_far > NEVER:
                    for g in range(far + 1):
                        total = so_far + lone[kind, t, left, g] + shared[kind, left, g]
                        leave[e, kind, t, g] = max(leave[e, kind, t, g], total)
            end = next_symbol(kind, t)
            closed[e, end] = max(closed[e, end], leave[e, kind, t, far])
    for s in range(1, slots):
        closed[e, s] = max(closed[e, s], closed[e, s - 1])


@kernel
def backward(
    e: int,
    possible: Mask,
    lone: Gains,
    destroyed: Gains,
    shared: Numbers,
    rest: Numbers,
    follow: Numbers,
    opened: Numbers,
) -> None:
    """Fill layer e of ``rest``, ``follow`` and ``opened``; layer 0 of ``follow`` is 0 for R − 1 and NEVER else."""
    _, slots, far = lone.shape[:3]
    far -= 1
    for p in range(slots):
        opened[e, p] = opened[e - 1, p]
    for kind in range(3):
        for t in range(slots):
            for left in range(far + 1):
                rest[e, kind, t, left] = NEVER
            if not possible[kind, t]:
                continue
            for left in range(far + 1):
                best = NEVER
                for g in range(far + 1):
                    after = follow[e - 1, kind, t, g]
                    if after > NEVER:
                        best = max(best, after + lone[kind, t, left, g] + shared[kind, left, g])
                rest[e, kind, t, left] = best
            opened[e, t] = max(opened[e, t], destroyed[kind, t, far] + rest[e, kind, t, far])
    for p in range(slots - 2, -1, -1):
        opened[e, p] = max(opened[e, p], opened[e, p + 1])
    for kind in range(3):
        for t in range(slots):
            start = next_symbol(kind, t)
            for g in range(far):
                best = NEVER
                if possible[kind, t] and start + g < slots:
                    for after in range(3):
                        if possible[after, start + g] and not (g == 0 and kind == DELETION and after == INSERTION):
                            total = destroyed[after, start + g, g] + rest[e, after, start + g, g]
                            best = max(best, total)
                follow[e, kind, t, g] = best
            follow[e, kind, t, far] = opened[e, start + far] if start + far < slots else 0
