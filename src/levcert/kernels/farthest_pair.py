"""The largest distance of two vectors, without a call into a library for each of many small arrays."""

from __future__ import annotations

import numpy as np

from levcert.kernels.compile import kernel
from levcert.kernels.conv_scores import Floats


@kernel
def farthest_pair(columns: Floats, p: float) -> tuple[int, int]:
    """Return the first pair i ≤ j whose columns have the largest ℓ_p distance, for p = 1, 2 or ∞.

    Vectors lie in the columns, so that the inner loop runs over vectors and needs no sum across lanes.
    """
    size, count = columns.shape
    first, second, largest = 0, 0, 0.0
    distances = np.empty(count, dtype=columns.dtype)
    for i in range(count):
        for j in range(i, count):
            distances[j] = 0
        for d in range(size):
            row, value = columns[d], columns[d, i]
            if p == 1:
                for j in range(i, count):
                    distances[j] += abs(value - row[j])
            elif p == 2:
                for j in range(i, count):
                    distances[j] += (value - row[j]) * (value - row[j])
            else:
                for j in range(i, count):
                    distances[j] = max(distances[j], abs(value - row[j]))
        for j in range(i, count):
            if distances[j] > largest:
                first, second, largest = i, j, distances[j]
    return first, second
