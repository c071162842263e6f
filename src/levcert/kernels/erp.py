"""ERP by dynamic programming over one row."""

import numpy as np
import numpy.typing as npt

from levcert.kernels.compile import kernel

Vectors = npt.NDArray[np.float64]


@kernel
def distance_p(a: Vectors, b: Vectors, p: float) -> float:
    """Return ‖a − b‖_p; the largest entry is taken out first, so that no power overflows."""
    largest = 0.0
    for i in range(a.size):
        largest = max(largest, abs(a[i] - b[i]))
    if largest == 0.0 or p == np.inf:
        return largest
    total = 0.0
    for i in range(a.size):
        total += (abs(a[i] - b[i]) / largest) ** p
    return float(largest * total ** (1.0 / p))


@kernel
def erp_distance(A: Vectors, B: Vectors, p: float) -> float:
    """Return the ERP distance; ``row[j]`` is the distance between A[:i] and B[:j]."""
    m, n = A.shape[0], B.shape[0]
    zero = np.zeros(A.shape[1])
    gap = np.empty(n)
    row = np.zeros(n + 1)
    for j in range(n):
        gap[j] = distance_p(B[j], zero, p)
        row[j + 1] = row[j] + gap[j]
    for i in range(m):
        drop = distance_p(A[i], zero, p)
        diagonal = row[0]
        row[0] += drop
        for j in range(n):
            match = diagonal + distance_p(A[i], B[j], p)
            diagonal = row[j + 1]
            row[j + 1] = min(match, diagonal + drop, row[j] + gap[j])
    return float(row[n])
