"""The effect of every single edit of a one-layer convolution, and the costs of its taps.

Symbols are the innermost dimension here: for one window, tap and filter, the activations with all symbols at
that tap are one run of memory, so the loop over symbols is what the processor vectorises.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from levcert.kernels.compile import kernel
from levcert.kernels.conv_scores import Ids, activate, fill

Floats = npt.NDArray[np.float64]
Positions = npt.NDArray[np.int64]


@kernel
def _context_sums(table: Floats, padded: Ids, left: int, right: int, sums: Floats) -> None:
    """sums[j] = Σ of taps i ≠ j of the window that has a hole at tap j.

    Taps before j hold what stands left of ``left``, taps after j what stands from ``right`` on.
    """
    taps, filters = table.shape[1], table.shape[2]
    for j in range(taps):
        total = sums[j]
        fill(total, 0)
        for i in range(j):
            row = table[padded[left - j + i], i]
            for h in range(filters):
                total[h] += row[h]
        for i in range(j + 1, taps):
            row = table[padded[right + i - j - 1], i]
            for h in range(filters):
                total[h] += row[h]


@kernel
def hole_features(
    table: Floats,
    by_symbol: Floats,
    largest: Floats,
    padded: Ids,
    lefts: Positions,
    rights: Positions,
    activation: int,
    head: Floats,
    scores: Floats,
    low: Floats,
    high: Floats,
) -> None:
    """scores[n, c] = Σ over the windows that hold symbol c between lefts[n] and rights[n] of φ, per class.

    ``by_symbol[j, h]`` is table[1:, j, h], and ``largest[j, h]`` its maximum.  If ``low`` and ``high`` have rows,
    low[n] and high[n] get the extremes over all symbols of each filter's sum of activations.
    """
    _, taps, filters = table.shape
    symbols, classes = by_symbol.shape[2], head.shape[0]
    bounded = low.shape[0] > 0
    sums = np.empty((taps, filters))
    moved = np.empty(symbols)
    pooled = np.empty(symbols)
    totals = np.empty((classes, symbols))
    for n in range(lefts.size):
        _context_sums(table, padded, lefts[n], rights[n], sums)
        for y in range(classes):
            fill(totals[y], 0)
        for h in range(filters):
            fill(pooled, 0)
            for j in range(taps):
                base = sums[j, h]
                row = by_symbol[j, h]
                if activation == 0:
                    if base + largest[j, h] > 0:  # otherwise no symbol activates this filter here
                        for c in range(symbols):
                            pooled[c] += max(base + row[c], 0.0)
                else:
                    for c in range(symbols):
                        moved[c] = base + row[c]
                    activate(moved, activation)
                    for c in range(symbols):
                        pooled[c] += moved[c]
            for y in range(classes):
                weight = head[y, h]
                of_class = totals[y]
                for c in range(symbols):
                    of_class[c] += weight * pooled[c]
            if bounded:
                least, most = pooled[0], pooled[0]
                for c in range(symbols):
                    least, most = min(least, pooled[c]), max(most, pooled[c])
                low[n, h], high[n, h] = least, most
        for c in range(symbols):
            for y in range(classes):
                scores[n, c, y] = totals[y, c]


@kernel
def tap_costs(
    table: Floats, difference: Floats, increasing: bool, replace: Floats, spread: Floats, appear: Floats, vanish: Floats
) -> None:
    """d_j(a, b) = Σ_h max(0, w_h·(T[a, j, h] − T[b, j, h])), or Σ_h |…| if σ is not increasing; one class pair.

    ``replace`` gets the sums over taps for all symbols and the padding, ``spread`` the maxima, ``appear`` and
    ``vanish`` the costs from and to the padding.
    """
    rows, taps, filters = table.shape
    costs = np.empty(rows)
    columns = np.empty((filters, rows))
    for j in range(taps):
        for h in range(filters):
            for a in range(rows):
                columns[h, a] = difference[h] * table[a, j, h]
        for a in range(rows):
            fill(costs, 0)
            for h in range(filters):
                value = columns[h, a]
                column = columns[h]
                if increasing:
                    for b in range(rows):
                        costs[b] += max(0.0, value - column[b])
                else:
                    for b in range(rows):
                        costs[b] += abs(value - column[b])
            for b in range(rows):
                replace[a, b] += costs[b]
                spread[j] = max(spread[j], costs[b])
                if a == 0 and b > 0:
                    appear[j, b - 1] = costs[b]
            if a > 0:
                vanish[j, a - 1] = costs[0]


@kernel
def hole_windows(
    table: Floats,
    by_symbol: Floats,
    largest: Floats,
    padded: Ids,
    lefts: Positions,
    rights: Positions,
    activation: int,
    head: Floats,
    scores: Floats,
) -> None:
    """scores[n, j, y, c] = φ_y of the window that holds symbol c at tap j, between lefts[n] and rights[n]."""
    _, taps, filters = table.shape
    symbols, classes = by_symbol.shape[2], head.shape[0]
    sums = np.empty((taps, filters))
    moved = np.empty(symbols)
    for n in range(lefts.size):
        _context_sums(table, padded, lefts[n], rights[n], sums)
        for j in range(taps):
            of_window = scores[n, j]
            for y in range(classes):
                fill(of_window[y], 0)
            for h in range(filters):
                base = sums[j, h]
                if activation == 0 and base + largest[j, h] <= 0:
                    continue  # no symbol activates this filter here
                row = by_symbol[j, h]
                for c in range(symbols):
                    moved[c] = base + row[c]
                activate(moved, activation)
                for y in range(classes):
                    weight = head[y, h]
                    of_class = of_window[y]
                    for c in range(symbols):
                        of_class[c] += weight * moved[c]


@kernel
def tap_cost_matrix(table: Floats, difference: Floats, increasing: bool, costs: Floats) -> None:
    """costs[j, a, b] += d_j(a, b) for one class pair; symbol 0 is the padding."""
    rows, taps, filters = table.shape
    column = np.empty(rows)
    for j in range(taps):
        for h in range(filters):
            for a in range(rows):
                column[a] = difference[h] * table[a, j, h]
            for a in range(rows):
                value = column[a]
                of_symbol = costs[j, a]
                if increasing:
                    for b in range(rows):
                        of_symbol[b] += max(0.0, value - column[b])
                else:
                    for b in range(rows):
                        of_symbol[b] += abs(value - column[b])
