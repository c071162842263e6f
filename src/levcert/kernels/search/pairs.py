"""The most that the two edits of a near edge gain, over both symbols: asked only whether it reaches what is needed."""

from __future__ import annotations

import numpy as np

from levcert.kernels.compile import kernel
from levcert.kernels.search.edges import Columns
from levcert.kernels.search.ground import Ground, Hashes, Ids, Numbers, gain_of, next_symbol, options, own
from levcert.kernels.search.lone import Gains, alone
from levcert.kernels.vote_scores import hash_sides

_NOTHING = np.uint64(0)


@kernel
def pair_windows(
    ground: Ground,
    kind: int,
    t: int,
    left: int,
    g: int,
    second: int,
    right: int,
    fixed: Hashes,
    steps: Hashes,
    orders: Numbers,
) -> int:
    """List the n-grams that hold two consecutive edits and no other; return how many there are.

    The hash of number w with the symbols c and d is fixed[w] + c·steps[w, 0] + d·steps[w, 1].
    """
    ids, powers = ground.ids, ground.powers
    reach, first, last = powers.size - 1, own(kind), own(second)
    start = next_symbol(kind, t)
    end = next_symbol(second, start + g)
    heads, tails = np.empty((2, reach + 1), np.uint64)
    hash_sides(ids, t, end, powers, heads, tails)
    between = _NOTHING
    for i in range(g):
        between = between * powers[1] + np.uint64(ids[start + i])
    count = 0
    for o in range(ground.orders.size):
        n = ground.orders[o]
        inner = first + g + last
        for a in range(1 - first, min(left, n - inner) + 1):
            b = n - inner - a
            if b < 1 - last or b > right:
                continue
            fixed[count] = heads[a] * powers[n - a] + between * powers[b + last] + tails[b]
            steps[count, 0] = powers[n - a - 1] if first else _NOTHING
            steps[count, 1] = powers[b] if last else _NOTHING
            orders[count] = o
            count += 1
    return count


@kernel
def beyond_pairs(ground: Ground, kind: int, left: int, g: int, windows: Numbers, count: int) -> int:
    """Bound the n-grams that hold an edit, the next one, and at least one more after it: those that are no pairs'."""
    total = 0
    for o in range(ground.orders.size):
        total += max(0, min(left + own(kind), ground.orders[o] - 1 - g)) * ground.highest[o]
    for w in range(count):
        total -= ground.highest[windows[w]]
    return total


@kernel
def refine_edges(
    ground: Ground,
    destroyed: Gains,
    edges: Columns,
    chosen: Numbers,
    needs: Numbers,
    values: Numbers,
    exact: Ids,
    symbols: Ids,
) -> None:
    """Lower the values of chosen edges: to the maximum over both symbols, or to just below what is needed.

    ``exact[x]`` becomes 1 in the first case, and ``symbols[x]`` are then those that attain it.
    """
    most, reach = max(ground.insert.size, 1), ground.powers.size - 1
    far = reach - 1
    firsts, lasts, first_gains, last_gains, kept, totals = np.empty((6, most), np.int64)
    fixed = np.empty(ground.orders.size * reach, np.uint64)
    steps = np.empty((ground.orders.size * reach, 2), np.uint64)
    windows = np.empty(ground.orders.size * reach, np.int64)
    for i in range(chosen.size):
        if ground.stop[0]:
            return
        x = chosen[i]
        kind, t, g, second, left, right = edges[x]
        second_t = next_symbol(kind, t) + g
        count, last_count = options(ground, kind, t, firsts), options(ground, second, second_t, lasts)
        alone(ground, kind, t, left, g, firsts, count, first_gains)
        alone(ground, second, second_t, g, right, lasts, last_count, last_gains)
        if left == far:
            first_gains[:count] *= 2
        if right == far:
            last_gains[:last_count] *= 2
        shared = pair_windows(ground, kind, t, left, g, second, right, fixed, steps, windows)
        highest = 0
        for w in range(shared):
            highest += 2 * ground.highest[windows[w]]
        constant = 2 * (beyond_pairs(ground, kind, left, g, windows, shared) + np.int64(destroyed[second, second_t, g]))
        order, last_order = np.argsort(-first_gains[:count]), np.argsort(-last_gains[:last_count])
        best = needs[i] - 1 - constant
        found = False
        for p in range(count):
            if ground.stop[0]:
                return
            c = order[p]
            left_over = highest
            # All second symbols that can still do it, together: one n-gram after the other rules most of them out.
            alive = 0
            while alive < last_count and first_gains[c] + last_gains[last_order[alive]] + highest > best:
                kept[alive] = last_order[alive]
                totals[alive] = first_gains[c] + last_gains[last_order[alive]]
                alive += 1
            if alive == 0:
                break
            for w in range(shared):
                left_over -= 2 * ground.highest[windows[w]]
                started, step, still = fixed[w] + np.uint64(firsts[c]) * steps[w, 0], steps[w, 1], 0
                for q in range(alive):
                    d = kept[q]
                    total = totals[q] + 2 * gain_of(ground, windows[w], started + np.uint64(lasts[d]) * step)
                    kept[still], totals[still] = d, total
                    still += total + left_over > best
                alive = still
                if alive == 0:
                    break
            for q in range(alive):
                if totals[q] > best:
                    best, found = totals[q], True
                    symbols[x, 0], symbols[x, 1] = firsts[c], lasts[kept[q]]
        values[x] = min(values[x], best + constant)
        exact[x] = found
