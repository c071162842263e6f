"""What the worst single edit takes from the margins of a network: for training, and in part for certifying.

A network of any depth is known here by the table T of its first layer and by what its first units are worth: plus[s, h]
bounds what a margin loses if unit h at tap s of the layers above goes down by one, minus[s, h] if it goes up.  With one
layer they are the positive and the negative part of w = w_y − w_ŷ, and s = 0 only.

The insertion bound is the theorem "Chains of symbols" of docs/repaired.md.  With d_j(a, b) the tap costs of a pair of
classes and n_j(b) the cost of b appearing at tap j of an empty window, an insertion loses at most

    I = min_u max_v  Σ_i n_i(v_i)  +  Σ_{i<u} Σ_{j≤i} d_j(v_i, v_{i+1})  +  Σ_{i>u} Σ_{j≥i} d_j(v_i, v_{i−1})

over all windows v: a longest path through the symbols of one window, found tap by tap from both ends.  A deletion is
an insertion with the classes exchanged, because d_j(a, b) of (ŷ, y) is d_j(b, a) of (y, ŷ).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from levcert.kernels.compile import kernel, reordering_kernel
from levcert.kernels.conv_scores import Floats, fill
from levcert.kernels.operations import Operation

Integers = npt.NDArray[np.int64]
SUBSTITUTION, INSERTION, DELETION = map(int, Operation)


@reordering_kernel
def pair_costs(
    table: Floats,
    plus: Floats,
    minus: Floats,
    relu: bool,
    costs: Floats,
    reverse: Floats,
    appear: Floats,
    vanish: Floats,
) -> None:
    """Find the tap costs of one pair of classes: costs[t, a, b] = reverse[t, b, a] = d_t(a, b).

    With x = T[a, j, h] − T[b, j, h]: d_t(a, b) = Σ_{j+s=t} Σ_h plus[s, h]·max(0, x) + minus[s, h]·max(0, −x).
    Both directions come from one ℓ1 distance: plus·max(0, x) + minus·max(0, −x) is half of (plus + minus)·|x| +
    (plus − minus)·x.  ``appear`` and ``vanish`` are what a symbol costs in a window that is otherwise empty.  A ReLU is
    never below its value at 0, so units only go up when a symbol appears, and only down when it vanishes.
    """
    rows, taps, filters = table.shape
    scaled = np.empty((rows, filters), dtype=table.dtype)
    sums = np.empty(rows, dtype=table.dtype)
    zero = table.dtype.type(0)
    half = table.dtype.type(0.5)
    for t in range(len(costs)):
        for a in range(rows):
            fill(costs[t, a], 0)
            fill(reverse[t, a], 0)
        fill(appear[t], 0)
        fill(vanish[t], 0)
    for j in range(taps):
        for s in range(len(plus)):
            down, up = plus[s], minus[s]
            for a in range(rows):
                row, entries = scaled[a], table[a, j]
                total, appears, vanishes = zero, zero, zero
                for h in range(filters):
                    row[h] = (down[h] + up[h]) * entries[h]
                    total += (down[h] - up[h]) * entries[h]
                sums[a] = total
                if relu:
                    for h in range(filters):
                        positive = max(entries[h], zero)
                        appears += up[h] * positive
                        vanishes += down[h] * positive
                    appear[j + s, a] += appears
                    vanish[j + s, a] += vanishes
            for a in range(rows):
                row = scaled[a]
                for b in range(a + 1, rows):
                    other = scaled[b]
                    distance = zero
                    for h in range(filters):
                        distance += abs(row[h] - other[h])
                    change = sums[a] - sums[b]
                    costs[j + s, a, b] += max(half * (distance + change), zero)
                    costs[j + s, b, a] += max(half * (distance - change), zero)
    for t in range(len(costs)):
        for a in range(rows):
            for b in range(rows):
                reverse[t, a, b] = costs[t, b, a]
        if not relu:
            for a in range(rows):
                appear[t, a], vanish[t, a] = costs[t, 0, a], costs[t, a, 0]


@kernel
def insertion_chains(costs: Floats, appear: Floats, left: Floats, right: Floats) -> tuple[float, int]:
    """Return the bound I of an insertion, and the tap u that attains it (counted from 0).

    left[i, x] gets the most that the taps before i can cost with symbol x at tap i, right[i, x] those behind i.  All
    terms are at least 0 and only added, so the result has a small relative error.
    """
    taps, rows = appear.shape
    shifted = np.empty((rows, rows), dtype=costs.dtype)  # Σ_{j≤i} d_j from the left, Σ_{j≥i} d_j from the right
    for side in range(2):
        chain = right if side else left
        for a in range(rows):
            fill(shifted[a], 0)
        fill(chain[taps - 1 if side else 0], 0)
        for step in range(taps - 1):
            outer = taps - 1 - step if side else step
            values = chain[outer - 1 if side else outer + 1]
            fill(values, 0)
            for a in range(rows):
                sums, more, start = shifted[a], costs[outer, a], chain[outer, a] + appear[outer, a]
                for b in range(rows):
                    sums[b] += more[b]
                for b in range(rows):
                    values[b] = max(values[b], start + sums[b])
    least, best = np.inf, 0
    for u in range(taps):
        worst = (left[u] + right[u] + appear[u]).max()
        if worst < least:
            least, best = worst, u
    return least, best


@kernel
def worst_window(costs: Floats, appear: Floats, left: Floats, right: Floats, u: int, window: Integers) -> None:
    """Set ``window`` to the symbols that attain the bound of :func:`insertion_chains`."""
    taps, rows = appear.shape
    window[u] = (left[u] + right[u] + appear[u]).argmax()
    values = np.empty(rows, dtype=costs.dtype)
    for side in range(2):
        chain = right if side else left
        for i in range(u + 1, taps) if side else range(u - 1, -1, -1):
            inner = window[i - 1] if side else window[i + 1]
            for a in range(rows):
                values[a] = chain[i, a] + appear[i, a]
            for j in range(i, taps) if side else range(i + 1):
                for a in range(rows):
                    values[a] += costs[j, a, inner]
            window[i] = values.argmax()


@kernel
def worst_edits(
    table: Floats, plus: Floats, minus: Floats, relu: bool, largest: Floats, kinds: Integers, places: Integers
) -> None:
    """largest[p] = max(S, I, X) of the p-th pair of classes; kinds[p] and places[p] say what attains it.

    places[p] holds a, b for a substitution; else the window, and behind it the tap u.
    """
    rows, width = len(table), table.shape[1] + plus.shape[1] - 1
    costs = np.empty((width, rows, rows), dtype=table.dtype)
    reverse = np.empty((width, rows, rows), dtype=table.dtype)
    appear = np.empty((width, rows), dtype=table.dtype)
    vanish = np.empty((width, rows), dtype=table.dtype)
    left = np.empty((width, rows), dtype=table.dtype)
    right = np.empty((width, rows), dtype=table.dtype)
    whole = np.empty((rows, rows), dtype=table.dtype)
    for pair in range(len(plus)):
        pair_costs(table, plus[pair], minus[pair], relu, costs, reverse, appear, vanish)
        for a in range(rows):
            fill(whole[a], 0)
            for t in range(width):
                for b in range(rows):
                    whole[a, b] += costs[t, a, b]
        largest[pair], kinds[pair] = -1, SUBSTITUTION
        for a in range(1, rows):
            for b in range(1, rows):
                if whole[a, b] > largest[pair]:
                    largest[pair] = whole[a, b]
                    places[pair, 0], places[pair, 1] = a, b
        for kind in range(INSERTION, DELETION + 1):
            lost, empty = (costs, appear) if kind == INSERTION else (reverse, vanish)
            bound, u = insertion_chains(lost, empty, left, right)
            if bound > largest[pair]:
                largest[pair], kinds[pair] = bound, kind
                worst_window(lost, empty, left, right, u, places[pair])
                places[pair, width] = u
