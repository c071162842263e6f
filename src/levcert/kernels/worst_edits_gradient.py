"""The gradient of what the worst single edit takes: only the terms of that edit have one (see worst_edits.py)."""

from __future__ import annotations

from levcert.kernels.compile import kernel
from levcert.kernels.conv_scores import Floats
from levcert.kernels.worst_edits import DELETION, SUBSTITUTION, Integers


@kernel
def _add_cost(
    table: Floats,
    plus: Floats,
    minus: Floats,
    t: int,
    a: int,
    b: int,
    weight: float,
    by_table: Floats,
    by_plus: Floats,
    by_minus: Floats,
) -> None:
    """Add weight times the gradient of d_t(a, b)."""
    _, taps, filters = table.shape
    for s in range(len(plus)):
        j = t - s
        if j < 0 or j >= taps:
            continue
        for h in range(filters):
            change = table[a, j, h] - table[b, j, h]
            if change > 0:
                by_table[a, j, h] += weight * plus[s, h]
                by_table[b, j, h] -= weight * plus[s, h]
                by_plus[s, h] += weight * change
            elif change < 0:
                by_table[a, j, h] -= weight * minus[s, h]
                by_table[b, j, h] += weight * minus[s, h]
                by_minus[s, h] -= weight * change


@kernel
def _add_appearance(
    table: Floats, minus: Floats, t: int, b: int, weight: float, by_table: Floats, by_minus: Floats
) -> None:
    """Add weight times the gradient of n_t(b) for ReLU."""
    _, taps, filters = table.shape
    for s in range(len(minus)):
        j = t - s
        if j < 0 or j >= taps:
            continue
        for h in range(filters):
            if table[b, j, h] > 0:
                by_table[b, j, h] += weight * minus[s, h]
                by_minus[s, h] += weight * table[b, j, h]


@kernel
def worst_edits_backward(
    table: Floats,
    plus: Floats,
    minus: Floats,
    relu: bool,
    kinds: Integers,
    places: Integers,
    gradient: Floats,
    by_table: Floats,
    by_plus: Floats,
    by_minus: Floats,
) -> None:
    """Add what the gradient of ``largest`` gives the weights: that of what attains the maxima."""
    width = table.shape[1] + plus.shape[1] - 1
    for pair in range(len(plus)):
        weight = gradient[pair]
        if weight == 0:
            continue
        known = (table, plus[pair], minus[pair])
        shares = (by_table, by_plus[pair], by_minus[pair])
        if kinds[pair] == DELETION:  # an insertion with the classes exchanged
            known, shares = (known[0], known[2], known[1]), (shares[0], shares[2], shares[1])
        window, u = places[pair], places[pair, width]
        for t in range(width):
            if kinds[pair] == SUBSTITUTION:
                _add_cost(*known, t, window[0], window[1], weight, *shares)
                continue
            if relu:
                _add_appearance(table, known[2], t, window[t], weight, by_table, shares[2])
            else:
                _add_cost(*known, t, 0, window[t], weight, *shares)
            if t < u:
                for i in range(t + 1):
                    _add_cost(*known, i, window[t], window[t + 1], weight, *shares)
            if t > u:
                for i in range(t, width):
                    _add_cost(*known, i, window[t], window[t - 1], weight, *shares)
