"""The worst edits of a training text, exactly: every single edit is evaluated, and a longest path combines them.

Edits that lie R − 1 or more symbols apart lose the sum of what each loses alone (Lemma "clusters",
docs/exact-radius.md), so the best choice of a given number of them is found by dynamic programming.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from levcert.kernels.compile import kernel
from levcert.kernels.operations import Operation
from levcert.kernels.vote_scores import Ids, Positions, hash_sides, powers_to, row_of, shift_of

Weights = npt.NDArray[np.float32]  # (orders · (rows + 1)) × classes
Floats = npt.NDArray[np.float64]

_, _INSERTION, _DELETION = map(int, Operation)


@kernel
def exact_far_edits(
    votes: Weights,
    orders: Positions,
    ids: Ids,
    grams: Positions,
    y: int,
    z: int,
    edits: int,
    symbols: int,
    chosen: Positions,
) -> int:
    """Put (kind, place, symbol) of the edits that together take most from f_y − f_z into ``chosen``; return how many.

    ``grams[o, e]`` is the row of the n-gram that ends at e.  At most ``edits`` edits, R − 1 or more symbols apart.
    """
    length = ids.size
    losses, best_symbols = np.full((3, length + 1), -np.inf), np.zeros((3, length + 1), np.int64)
    _single_edits(votes, orders, ids, grams, y, z, symbols, losses, best_symbols)
    far = orders.max() - 1
    # best[e, s]: the most that at most e edits take that end before symbol s.
    # how[e, s]: the kind of the last of them if it ends right there, else 3.
    best, how = np.zeros((edits + 1, length + 1)), np.full((edits + 1, length + 1), 3, np.int64)
    for e in range(1, edits + 1):
        for s in range(length + 1):
            if s:
                best[e, s] = best[e, s - 1]
            for kind in range(3):
                t = s if kind == _INSERTION else s - 1
                if t >= 0 and losses[kind, t] > -np.inf:
                    total = losses[kind, t] + (best[e - 1, t - far] if t >= far else 0.0)
                    if total > best[e, s]:
                        best[e, s], how[e, s] = total, kind
    count, e, s = 0, edits, length
    while e > 0 and s >= 0:
        kind = how[e, s]
        if kind == 3:
            s -= 1
            continue
        t = s if kind == _INSERTION else s - 1
        chosen[count, 0], chosen[count, 1], chosen[count, 2] = kind, t, best_symbols[kind, t]
        count += 1
        e, s = e - 1, t - far
    return count


@kernel
def _single_edits(
    votes: Weights,
    orders: Positions,
    ids: Ids,
    grams: Positions,
    y: int,
    z: int,
    symbols: int,
    losses: Floats,
    best_symbols: Positions,
) -> None:
    """losses[kind, t] = the most that a single edit takes from f_y − f_z; its symbol in ``best_symbols``."""
    rows, reach, length = votes.shape[0] // orders.size - 1, orders.max(), ids.size
    powers, shift = powers_to(reach), shift_of(rows)
    heads, tails = np.empty((2, reach + 1), np.uint64)
    totals = np.empty(symbols)
    for kind in range(3):
        own, count = 0 if kind == _DELETION else 1, 1 if kind == _DELETION else symbols
        for t in range(length + (kind == _INSERTION)):
            gone = 0.0
            for o in range(orders.size):
                for e in range(t, min(t + orders[o] - (kind == _INSERTION), length + orders[o] - 1)):
                    gone += votes[grams[o, e], y] - votes[grams[o, e], z]
            totals[:count] = gone
            hash_sides(ids, t, t if kind == _INSERTION else t + 1, powers, heads, tails)
            for o in range(orders.size):
                for a in range(1 - own, orders[o]):
                    b = orders[o] - own - a
                    fixed = heads[a] * powers[b + own] + tails[b]
                    for c in range(count):
                        value = fixed + np.uint64(c + 1) * powers[b] if own else fixed
                        row = o * (rows + 1) + row_of(value, rows, shift)
                        totals[c] += votes[row, z] - votes[row, y]
            best = int(np.argmax(totals[:count]))
            losses[kind, t], best_symbols[kind, t] = totals[best], best + 1 if own else 0
