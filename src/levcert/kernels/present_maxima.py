"""Maxima over the symbols that a text holds: the loop of the tap bounds of many texts."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from levcert.kernels.compile import kernel


@kernel
def present_maxima(
    table: npt.NDArray[np.float64],
    labels: npt.NDArray[np.int64],
    ids: npt.NDArray[np.int32],
    offsets: npt.NDArray[np.int64],
    found: npt.NDArray[np.float64],
) -> None:
    """found[n, k] = the largest of found[n, k] and table[labels[n], a, k] over all symbols a + 1 of text n.

    Each symbol counts once, no matter how often the text holds it: the second time it is only looked up.
    """
    symbols, columns = table.shape[1], table.shape[2]
    seen = np.full(symbols, -1, np.int64)
    for n in range(labels.size):
        for i in range(offsets[n], offsets[n + 1]):
            a = ids[i] - 1
            if seen[a] == n:
                continue
            seen[a] = n
            for k in range(columns):
                value = table[labels[n], a, k]
                if value > found[n, k]:
                    found[n, k] = value
