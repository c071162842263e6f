"""What the n-grams around each single edit gain, and what those that it destroys gained: the costs of chains."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from levcert.kernels.compile import kernel
from levcert.kernels.search.ground import (
    DELETION,
    INSERTION,
    Bits,
    Ground,
    Hashes,
    Ids,
    Mask,
    Numbers,
    Votes,
    gain_of,
    next_symbol,
    own,
    used_row,
)
from levcert.kernels.vote_scores import gram_rows, hash_sides

Gains = npt.NDArray[np.int32]

_NOTHING = np.uint64(0)


@kernel
def lone_gains(
    votes: Votes,
    used: Bits,
    orders: Numbers,
    shift: np.uint64,
    powers: Hashes,
    ids: Ids,
    insert: Mask,
    replace: Mask,
    delete: Mask,
    label: int,
    stop: Bits,
    possible: Mask,
    gains: Gains,
) -> None:
    """gains[y, kind, t, l, r] = the most that the new n-grams around one edit gain for class y, over its symbols.

    Only n-grams count that hold at most l symbols left of the edit and at most r right of it; R − 1 stands for all.
    ``possible[kind, t]`` says whether the edit is allowed.  If the flag ``stop`` is raised, the rest is left out.
    """
    rows, classes = votes.shape[1] - 1, votes.shape[2]
    length, reach, most = ids.size, gains.shape[3], max(insert.size, 1)
    heads, tails = np.empty((2, reach + 1), np.uint64)
    brought = np.empty(most, np.int64)
    found = np.empty((orders.size, reach, most), np.int32)
    sums = np.zeros((orders.size, reach + 1, most), np.int32)
    totals = np.empty(most, np.int32)
    for kind in range(3):
        for t in range(length + (kind == INSERTION)):
            if stop[0]:
                return
            count = 0
            if kind == DELETION:
                if delete[ids[t] - 1]:
                    brought[0], count = 0, 1
            else:
                for c in range(insert.size):
                    if insert[c] if kind == INSERTION else replace[ids[t] - 1, c]:
                        brought[count] = c + 1
                        count += 1
            possible[kind, t] = count > 0
            if count == 0:
                continue
            mine = own(kind)
            hash_sides(ids, t, next_symbol(kind, t), powers[:reach], heads, tails)
            for o in range(orders.size):
                for a in range(1 - mine, orders[o]):
                    b = orders[o] - mine - a
                    fixed, step = heads[a] * powers[b + mine] + tails[b], powers[b] if mine else _NOTHING
                    for n in range(count):
                        found[o, a, n] = used_row(used, o, fixed + np.uint64(brought[n]) * step, rows, shift)
            for y in range(classes):
                if y == label:
                    continue
                for o in range(orders.size):
                    for a in range(1 - mine, orders[o]):
                        before, after, where = sums[o, a], sums[o, a + 1], found[o, a]
                        for n in range(count):
                            after[n] = before[n] + votes[o, where[n], y] - votes[o, where[n], label]
                _largest(sums, count, mine, orders, totals, gains[y, kind, t])


@kernel
def _largest(sums: Gains, count: int, mine: int, orders: Numbers, totals: Gains, largest: Gains) -> None:
    """largest[l, r] = the largest over symbols of Σ over n-grams with at most l symbols left and r right of an edit.

    ``sums[o, a]`` runs over n-grams with fewer than a symbols on the left, so each is a difference of two.
    """
    for left in range(largest.shape[0]):
        for right in range(largest.shape[1]):
            terms = 0
            for o in range(orders.size):
                first, last = max(1 - mine, orders[o] - mine - right), min(left, orders[o] - 1)
                if first <= last:
                    upper, lower = sums[o, last + 1], sums[o, first]
                    if terms == 0:
                        for n in range(count):
                            totals[n] = upper[n] - lower[n]
                    else:
                        for n in range(count):
                            totals[n] += upper[n] - lower[n]
                    terms += 1
            if terms:
                best = totals[0]
                for n in range(1, count):
                    best = max(best, totals[n])
                largest[left, right] = best


@kernel
def destroyed_gains(votes: Votes, orders: Numbers, ids: Ids, label: int, losses: Gains) -> None:
    """losses[y, kind, t, g] = minus the gains of the n-grams of the text that an edit g symbols after another destroys.

    They end at t + max(0, n − 1 − g) … t + n − 1; an insertion before t spares the last one, which begins at t.
    """
    rows, classes = votes.shape[1] - 1, votes.shape[2]
    length, reach = ids.size, losses.shape[3]
    for o in range(orders.size):
        n = orders[o]
        found = np.empty(length + n, np.int64)
        sums = np.zeros(length + 2 * n + 1, np.int64)
        if length:
            gram_rows(ids, n, rows, found)
        for y in range(classes):
            if y == label:
                continue
            for end in range(length + 2 * n):
                sums[end + 1] = sums[end]
                if length and end < length + n - 1:
                    sums[end + 1] += np.int64(votes[o, found[end], label]) - np.int64(votes[o, found[end], y])
            for t in range(length + 1):
                for g in range(reach):
                    first = t + max(0, n - 1 - g)
                    losses[y, 0, t, g] += sums[t + n] - sums[first]
                    losses[y, 1, t, g] += sums[max(t + n - 1, first)] - sums[first]
                    losses[y, 2, t, g] += sums[t + n] - sums[first]


@kernel
def alone(
    ground: Ground, kind: int, t: int, left: int, right: int, brought: Numbers, count: int, gains: Numbers
) -> None:
    """gains[i] = what n-grams gain that hold this edit alone, if it brings symbol i.

    They hold at most ``left`` symbols before it and ``right`` behind it.
    """
    mine, reach = own(kind), ground.powers.size - 1
    heads, tails = np.empty((2, reach + 1), np.uint64)
    hash_sides(ground.ids, t, next_symbol(kind, t), ground.powers[:reach], heads, tails)
    gains[:count] = 0
    for o in range(ground.orders.size):
        n = ground.orders[o]
        for a in range(max(1 - mine, n - mine - right), min(left, n - 1) + 1):
            b = n - mine - a
            fixed, step = heads[a] * ground.powers[b + mine] + tails[b], ground.powers[b] if mine else _NOTHING
            for i in range(count):
                gains[i] += gain_of(ground, o, fixed + np.uint64(brought[i]) * step)
