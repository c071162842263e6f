"""What the second of two neighbouring edits can lose: exactly where the first does not reach, else by its tap costs."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from levcert.kernels.compile import kernel

Floats = npt.NDArray[np.float64]
Positions = npt.NDArray[np.int64]


@kernel
def replacement_bounds(
    windows: Floats,
    label: int,
    old: Positions,
    costs: Floats,
    allowed: npt.NDArray[np.bool_],
    left: Floats,
    right: Floats,
) -> None:
    """Bound what replacing symbol old[n] in hole n loses if windows on one side are touched by another edit.

    With l_j(c) the exact loss in the window with the hole at tap j, and d_j(c) its tap cost:
    left[n, g] = max_c Σ_{j<g} l_j + Σ_{j≥g} d_j, and right[n, g] = max_c Σ_{j<R−g} d_j + Σ_{j≥R−g} l_j.
    ``windows`` come from :func:`hole_windows`, ``costs[y, j, a, b]`` is d_j(a, b) for the class pair (label, y).
    """
    count, taps, classes, symbols = windows.shape
    exact = np.empty(taps + 1)
    loose = np.empty(taps + 1)
    for n in range(count):
        a = old[n]
        for y in range(classes):
            for g in range(taps + 1):
                left[n, g, y] = -np.inf
                right[n, g, y] = -np.inf
            if y == label:
                continue
            for c in range(symbols):
                if not allowed[n, c]:
                    continue
                exact[0] = 0
                loose[0] = 0
                for j in range(taps):
                    kept = windows[n, j, label, a] - windows[n, j, y, a]
                    new = windows[n, j, label, c] - windows[n, j, y, c]
                    exact[j + 1] = exact[j] + (kept - new)
                    loose[j + 1] = loose[j] + costs[y, j, a, c]
                for g in range(taps + 1):
                    left[n, g, y] = max(left[n, g, y], exact[g] + (loose[taps] - loose[g]))
                    i = taps - g
                    right[n, g, y] = max(right[n, g, y], loose[i] + (exact[taps] - exact[i]))
