"""One layer, ReLU and sum, forwards and backwards, as training needs it.

Rows of tables are padded with zeros to a multiple of ``LANES`` filters.

**Counting backwards.**  The gradient of the pooled features is the same for all windows of a text, so
∂loss/∂T[a, j] = Σ_n g_n ∘ c_n[a, j], where c_n[a, j] counts for each filter the windows of text n with symbol a at
tap j whose pre-activation was positive.  Counting adds bytes, four times fewer than floats, and only the few
symbols of a text are then multiplied by g_n.
"""

from __future__ import annotations

import numpy as np

from levcert.kernels.compile import kernel
from levcert.kernels.conv_scores import Floats, Ids, Mask, Offsets
from levcert.kernels.simd import LANES, add, entry, load, positive, relu, store, times_count, zeros_like

_LARGEST_COUNT = 255


@kernel
def relu_features(table: Floats, ids: Ids, offsets: Offsets, features: Floats, active: Mask) -> None:
    """Set features[n] to Σ_windows max(pre-activation, 0); ``active`` keeps for the backward pass what was > 0."""
    _, taps, width = table.shape
    cells, sums, bits = table.reshape(-1), features.reshape(-1), active.reshape(-1)
    window = 0
    for n in range(offsets.size - 1):
        begin, length = offsets[n], offsets[n + 1] - offsets[n]
        windows = length + taps - 1 if length else 0
        for block in range(0, width, LANES):
            zero = zeros_like(load(cells, 0))
            total = zero
            for i in range(windows):
                first = i - taps + 1  # the window's first position in the text; negative within the padding
                value = zero
                for j in range(max(0, -first), min(taps, length - first)):
                    value = add(value, load(cells, (entry(ids, begin + first + j) * taps + j) * width + block))
                total = add(total, relu(value))
                store(bits, (window + i) * width + block, positive(value))
            store(sums, n * width + block, total)
        window += windows


@kernel
def relu_features_backward(gradient: Floats, ids: Ids, offsets: Offsets, active: Mask, table_gradient: Floats) -> None:
    """Add to ``table_gradient`` what the gradient of the pooled features gives each row of the table."""
    symbols, taps, width = table_gradient.shape
    counts = np.zeros(symbols * taps * width, dtype=np.uint8)
    bits = active.reshape(-1)
    window = 0
    for n in range(offsets.size - 1):
        begin, length = offsets[n], offsets[n + 1] - offsets[n]
        windows = length + taps - 1 if length else 0
        for start in range(0, windows, _LARGEST_COUNT):  # bytes hold no more
            stop = min(start + _LARGEST_COUNT, windows)
            for block in range(0, width, LANES):
                for i in range(start, stop):
                    first = i - taps + 1
                    bit = load(bits, (window + i) * width + block)
                    for j in range(max(0, -first), min(taps, length - first)):
                        cell = (entry(ids, begin + first + j) * taps + j) * width + block
                        store(counts, cell, add(load(counts, cell), bit))
            low, high = max(0, start - taps + 1), min(length, stop)  # where the windows lie in the text
            _spend(counts, ids[begin + low : begin + high], gradient[n], table_gradient)
        window += windows


@kernel
def _spend(counts: Mask, ids: Ids, gradient: Floats, table_gradient: Floats) -> None:
    """table_gradient += gradient ∘ counts for the symbols of a text; their counts begin at zero again."""
    symbols, taps, width = table_gradient.shape
    cells = table_gradient.reshape(-1)
    done = np.zeros(symbols, dtype=np.bool_)
    for symbol in ids:
        if done[symbol]:
            continue
        done[symbol] = True
        for j in range(taps):
            for block in range(0, width, LANES):
                cell = (symbol * taps + j) * width + block
                count = load(counts, cell)
                store(cells, cell, add(load(cells, cell), times_count(load(gradient, block), count)))
                store(counts, cell, zeros_like(count))
