"""Convolutions over concatenated texts, without padding.

**The table.**  Embedding followed by a convolution is a table look-up: with T[a, j] = e_a K_jᵀ (a row per symbol and
tap, the row of the padding 0 being zero) the pre-activation of a window is the sum of one row per tap.

Sequences lie one after the other in ``ids`` (or in the rows of ``values``), sequence n from ``offsets[n]`` to
``offsets[n + 1]``.  With ``padding`` = taps − 1 the windows reach over both ends as in the paper; with
``padding`` = 0 only whole windows count.  Sums run in one fixed order, so a sequence gets the same bits alone
and in any batch.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from levcert.kernels.compile import kernel

Floats = npt.NDArray[np.floating[Any]]
Ids = npt.NDArray[np.int32]
Offsets = npt.NDArray[np.int64]
Mask = npt.NDArray[np.uint8]


@kernel
def fill(values: Floats, value: float) -> None:
    """Set all entries of a row; a plain loop compiles in a fraction of the time of a slice assignment."""
    for h in range(values.size):
        values[h] = value


@kernel
def _sum_taps(table: Floats, ids: Ids, start: int, low: int, high: int, total: Floats) -> None:
    """Set total to Σ_{low ≤ j < high} T[ids[start + j], j]; five rows at a time spare most of the stores."""
    filters = total.size
    j = low
    if low + 5 <= high:  # the first group sets, the others add
        r0 = table[ids[start + j], j]
        r1 = table[ids[start + j + 1], j + 1]
        r2 = table[ids[start + j + 2], j + 2]
        r3 = table[ids[start + j + 3], j + 3]
        r4 = table[ids[start + j + 4], j + 4]
        for h in range(filters):
            total[h] = ((r0[h] + r1[h]) + (r2[h] + r3[h])) + r4[h]
        j += 5
    else:
        fill(total, 0)
    while j + 5 <= high:
        r0 = table[ids[start + j], j]
        r1 = table[ids[start + j + 1], j + 1]
        r2 = table[ids[start + j + 2], j + 2]
        r3 = table[ids[start + j + 3], j + 3]
        r4 = table[ids[start + j + 4], j + 4]
        for h in range(filters):
            total[h] += ((r0[h] + r1[h]) + (r2[h] + r3[h])) + r4[h]
        j += 5
    while j < high:
        row = table[ids[start + j], j]
        for h in range(filters):
            total[h] += row[h]
        j += 1


@kernel
def activate(values: Floats, activation: int) -> None:
    """Apply σ in place; the codes are those of levcert.models.activations."""
    if activation == 0:
        for h in range(values.size):
            values[h] = max(values[h], 0)
    elif activation == 1:
        for h in range(values.size):
            values[h] = max(values[h], 0.01 * values[h])
    elif activation == 2:
        for h in range(values.size):
            values[h] = math.tanh(values[h])
    else:
        for h in range(values.size):
            values[h] = 0.5 * values[h] * (1 + math.erf(values[h] / math.sqrt(2)))


@kernel
def table_features(table: Floats, ids: Ids, offsets: Offsets, padding: int, activation: int, features: Floats) -> None:
    """features[n] += Σ_windows σ(pre-activation): one layer and the pooling in one go."""
    _, taps, filters = table.shape
    total = np.empty(filters, dtype=table.dtype)
    for n in range(offsets.size - 1):
        begin, length = offsets[n], offsets[n + 1] - offsets[n]
        pooled = features[n]
        for i in range(length + 2 * padding - taps + 1):
            first = i - padding  # the window's first position in the text; negative within the padding
            _sum_taps(table, ids, begin + first, max(0, -first), min(taps, length - first), total)
            if activation == 0:  # most models: no second pass over the filters
                for h in range(filters):
                    pooled[h] += max(total[h], 0)
            else:
                activate(total, activation)
                for h in range(filters):
                    pooled[h] += total[h]


@kernel
def table_rows(table: Floats, ids: Ids, offsets: Offsets, padding: int, out: Floats, out_offsets: Offsets) -> None:
    """out[out_offsets[n] + i] = pre-activation of window i of sequence n; rows in between are left alone."""
    taps = table.shape[1]
    for n in range(offsets.size - 1):
        begin, length = offsets[n], offsets[n + 1] - offsets[n]
        for i in range(length + 2 * padding - taps + 1 if length else 0):
            first = i - padding
            row = out[out_offsets[n] + i]
            _sum_taps(table, ids, begin + first, max(0, -first), min(taps, length - first), row)


@kernel
def table_rows_backward(
    gradient: Floats, ids: Ids, offsets: Offsets, out_offsets: Offsets, positive: Floats, table_gradient: Floats
) -> None:
    """Scatter the gradient of :func:`table_rows` (with full padding) back to the table.

    With ``positive`` (empty: not used) rows went through ReLU, and only where these rows are > 0 there is a gradient.
    """
    _, taps, filters = table_gradient.shape
    zero = gradient.dtype.type(0)
    share = np.empty(filters, dtype=gradient.dtype)
    for n in range(offsets.size - 1):
        begin, length = offsets[n], offsets[n + 1] - offsets[n]
        for i in range(length + taps - 1 if length else 0):
            first = i - taps + 1
            out = out_offsets[n] + i
            if positive.size:
                for h in range(filters):
                    share[h] = gradient[out, h] if positive[out, h] > zero else zero
            else:
                for h in range(filters):
                    share[h] = gradient[out, h]
            for j in range(max(0, -first), min(taps, length - first)):
                row = table_gradient[ids[begin + first + j], j]
                for h in range(filters):
                    row[h] += share[h]


@kernel
def activate_rows(values: Floats, activation: int) -> None:
    """Apply σ to every row in place."""
    for i in range(values.shape[0]):
        activate(values[i], activation)


@kernel
def convolve_rows(
    values: Floats, offsets: Offsets, taps_by_input: Floats, padding: int, out: Floats, out_offsets: Offsets
) -> None:
    """Convolve sequences of vectors: taps_by_input[j, c] holds what input c at tap j adds to all filters."""
    taps, inputs, filters = taps_by_input.shape
    for n in range(offsets.size - 1):
        begin, length = offsets[n], offsets[n + 1] - offsets[n]
        for i in range(length + 2 * padding - taps + 1 if length else 0):
            first = i - padding
            total = out[out_offsets[n] + i]
            fill(total, 0)
            for j in range(max(0, -first), min(taps, length - first)):
                source = values[begin + first + j]
                for c in range(inputs):
                    value = source[c]
                    if value != 0:  # ReLU leaves about half of them
                        row = taps_by_input[j, c]
                        for h in range(filters):
                            total[h] += value * row[h]


@kernel
def sum_rows(values: Floats, offsets: Offsets, sums: Floats) -> None:
    """sums[n] += the rows of sequence n, from first to last."""
    for n in range(offsets.size - 1):
        total = sums[n]
        for i in range(offsets[n], offsets[n + 1]):
            row = values[i]
            for h in range(row.size):
                total[h] += row[h]


@kernel
def head_scores(features: Floats, head: Floats, scores: Floats) -> None:
    """Set scores to features · headᵀ, each sum from first to last filter."""
    for n in range(features.shape[0]):
        for y in range(head.shape[0]):
            total = 0.0
            for h in range(head.shape[1]):
                total += features[n, h] * head[y, h]
            scores[n, y] = total
