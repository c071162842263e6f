"""Dynamic programming over slots for edits that share no window."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from levcert.kernels.compile import kernel

Floats = npt.NDArray[np.float64]


@kernel
def far_totals(cuts: Floats, characters: Floats, width: int, totals: Floats, choices: npt.NDArray[np.int8]) -> None:
    """Fill F_e[v] = max(F_e[v−1], cut_v + F_{e−1}[v−R+1], character_{v−1} + F_{e−1}[v−R]) and which one it was."""
    most, length = totals.shape[0] - 1, characters.size
    for v in range(length + 1):
        totals[0, v] = 0
    for e in range(1, most + 1):
        nothing_before = 0.0 if e == 1 else -np.inf
        for v in range(length + 1):
            best, choice = -np.inf, 0
            if v > 0:
                best = totals[e, v - 1]
            before = v - width + 1
            rest = totals[e - 1, before] if before >= 0 else nothing_before
            if cuts[v] + rest > best:
                best, choice = cuts[v] + rest, 1
            if v > 0:
                rest = totals[e - 1, before - 1] if before >= 1 else nothing_before
                if characters[v - 1] + rest > best:
                    best, choice = characters[v - 1] + rest, 2
            totals[e, v] = best
            choices[e, v] = choice
