"""Tap costs of a network of any depth that keep track of signs (theorem "Signs" of docs/soundness.md).

plus[s, h] bounds what a margin loses if unit h of the first layer, at tap s of the layers above, goes down by one,
minus[s, h] if it goes up.  From the top they are w⁺ and w⁻.  An increasing σ of slope at most 1 keeps the sign of a
change and does not enlarge it; through a kernel K = K⁺ − K⁻ a unit that goes down takes those above it down by K⁺ and
up by K⁻.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations

import numpy as np
import numpy.typing as npt

from levcert.models.activations import Activation

Array = npt.NDArray[np.float64]


def signed_form(
    table: Array, error: Array, deeper: Sequence[Array], head: Array, activation: Activation
) -> tuple[Array, Array]:
    """Return Σ_t d_t(a, b), and the insertion bound by chains of symbols, for all ordered pairs of classes.

    With x = T[a, j, h] − T[b, j, h]: d_t(a, b) = Σ_{j+s=t} Σ_h plus[s, h]·max(0, x) + minus[s, h]·max(0, −x).
    ``error[j, h]`` bounds by how much the difference of two entries of the table can be off.  All arrays must be scaled
    (``norms.scaled_to_one``), and the results unscaled and rounded up: all terms are at least 0 and only added, so
    their relative error is far below 2⁻³³, and what underflows is below 2⁻¹⁰⁰⁰.
    """
    from levcert.kernels.worst_edits import insertion_chains

    (rows, taps, _), classes = table.shape, len(head)
    substitution, insertion = np.zeros((classes, classes, rows, rows)), np.zeros((classes, classes))
    for pair in permutations(range(classes), 2):
        plus, minus = unit_worths(deeper, head[pair[0]] - head[pair[1]], activation)
        costs = np.zeros((taps + len(plus) - 1, rows, rows))
        appear, left, right = (np.zeros(costs.shape[:2]) for _ in range(3))
        for j in range(taps):
            entries, places = table[:, j], slice(j, j + len(plus))
            doubt = ((plus + minus) @ error[j])[:, None]
            for a in range(rows):
                lost = plus @ np.maximum(entries[a] - entries, 0).T + minus @ np.maximum(entries - entries[a], 0).T
                costs[places, a] += lost + doubt
            appear[places] += minus @ np.maximum(entries, 0).T + doubt  # a ReLU can only go up from an empty window
        substitution[pair] = costs.sum(axis=0)
        insertion[pair] = insertion_chains(
            costs, appear if activation.name == "relu" else np.ascontiguousarray(costs[:, 0]), left, right
        )[0]
    return substitution[:, :, 1:, 1:], insertion


def unit_worths(deeper: Sequence[Array], difference: Array, activation: Activation) -> tuple[Array, Array]:
    """Return plus and minus, taps × filters, for one pair of classes; ``difference`` is w_y − w_ŷ.

    Where σ is not increasing signs are lost: both become their sum, times the slope.
    """
    plus, minus = np.maximum(difference, 0)[None], np.maximum(-difference, 0)[None]
    for kernel in [*reversed(deeper), None]:
        if not activation.increasing:
            plus = minus = plus + minus
        plus, minus = plus * activation.lipschitz, minus * activation.lipschitz
        if kernel is not None:
            up, down = np.maximum(kernel, 0), np.maximum(-kernel, 0)
            plus, minus = _through(plus, up) + _through(minus, down), _through(minus, up) + _through(plus, down)
    return plus, minus


def _through(worths: Array, kernel: Array) -> Array:
    """Σ_{s+j=t} Σ_o worths[s, o]·K[j, o, i]."""
    total = np.zeros((len(worths) + len(kernel) - 1, kernel.shape[2]))
    for j, tap in enumerate(kernel):
        total[j : j + len(worths)] += worths @ tap
    return total
