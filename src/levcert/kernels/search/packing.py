"""The exact path: clusters of edits that lie far from each other lose the sum of what each loses."""

from __future__ import annotations

import numpy as np

from levcert.kernels.compile import kernel
from levcert.kernels.search.ground import NEVER, Mask, Numbers
from levcert.kernels.search.lone import Gains


@kernel
def single_losses(possible: Mask, lone: Gains, destroyed: Gains, single: Numbers) -> None:
    """single[kind, t] = what the worst edit of a kind loses on its own."""
    _, slots, far = lone.shape[:3]
    far -= 1
    for kind in range(3):
        for t in range(slots):
            single[kind, t] = NEVER
            if possible[kind, t]:
                single[kind, t] = np.int64(lone[kind, t, far, far]) + np.int64(destroyed[kind, t, far])


@kernel
def pack(
    single: Numbers,
    far: int,
    first: Numbers,
    end: Numbers,
    size: Numbers,
    loss: Numbers,
    best: Numbers,
    choice: Numbers,
) -> None:
    """best[e, s] = the most that single edits and given clusters lose, e edits in all, that end before symbol s.

    Cluster i has ``size[i]`` edits, begins at symbol ``first[i]`` and ends before ``end[i]``; clusters are sorted by
    their ends.  ``choice[e, s]``: 0 for what is there at s − 1, −1 − kind for a single edit that ends at s, i + 1 for a
    cluster, and −4 for what fewer edits do.
    """
    edits, slots = best.shape[0] - 1, best.shape[1]
    for s in range(slots):
        best[0, s] = 0
        choice[0, s] = 0
    i = 0
    for s in range(slots):
        until = i
        while until < end.size and end[until] == s:
            until += 1
        for e in range(1, edits + 1):
            most, how = best[e - 1, s], -4
            if s > 0 and best[e, s - 1] > most:
                most, how = best[e, s - 1], 0
            for kind in range(3):
                t = s if kind == 1 else s - 1
                if t >= 0 and single[kind, t] > NEVER:
                    total = single[kind, t] + (best[e - 1, t - far] if t >= far else 0)
                    if total > most:
                        most, how = total, -1 - kind
            for x in range(i, until):
                if size[x] <= e:
                    total = loss[x] + (best[e - size[x], first[x] - far] if first[x] >= far else 0)
                    if total > most:
                        most, how = total, x + 1
            best[e, s] = most
            choice[e, s] = how
        i = until


@kernel
def unpack(far: int, first: Numbers, size: Numbers, choice: Numbers, e: int, parts: Numbers) -> int:
    """List what attains the most for e edits: rows (kind, t) for single edits, (3, i) for clusters; return how many."""
    s, count = choice.shape[1] - 1, 0
    while e > 0 and s >= 0:
        how = choice[e, s]
        if how == 0:
            s -= 1
        elif how == -4:
            e -= 1
        elif how < 0:
            kind = -1 - how
            t = s if kind == 1 else s - 1
            parts[count, 0], parts[count, 1] = kind, t
            count += 1
            e, s = e - 1, t - far
        else:
            parts[count, 0], parts[count, 1] = 3, how - 1
            count += 1
            e, s = e - size[how - 1], first[how - 1] - far
    return count
