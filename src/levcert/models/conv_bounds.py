"""What edits can take from a convolutional model's margins, and how far its scores can be rounded: pure functions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import permutations
from typing import Final

import numpy as np
import numpy.typing as npt

from levcert.errors import InputError
from levcert.models import norms
from levcert.models.activations import Activation
from levcert.models.signed_costs import signed_form
from levcert.models.tap_bounds import UNDERFLOW, TapCosts, norm_tap_costs, rounding_factor

Array = npt.NDArray[np.float64]

_MOST_GIGABYTES: Final = 8
_MOST_OPERATIONS: Final = 1e12  # some minutes
_PER_CALL: Final = 20_000  # operations that take as long as a call of a kernel


def operations(table: Array, classes: int) -> float:
    """Return about how many operations the bounds of all pairs of classes take."""
    rows, taps, filters = table.shape
    return float(classes**2 * (2 * rows**2 * taps * filters + 2 * _PER_CALL))


def _check_size(table: Array, head: Array) -> None:
    rows, classes = len(table), len(head)
    gigabytes = 4 * 8 * (classes * rows) ** 2 / 1e9
    if gigabytes > _MOST_GIGABYTES or operations(table, classes) > _MOST_OPERATIONS:
        cost = f"take {gigabytes:.0f} GB" if gigabytes > _MOST_GIGABYTES else "take too long"
        raise InputError(
            f"Bounds for {classes} classes and {rows - 1} symbols {cost}; make the alphabet "
            "smaller (minimum_count), or use the method interval or brute-force."
        )


def exact_form(table: Array, head: Array, activation: Activation) -> TapCosts:
    """d_j(a, b) = Σ_h max(0, w_h·(T[a, j, h] − T[b, j, h])) for one layer and all ordered pairs of classes."""
    from levcert.kernels.conv_edits import tap_costs

    (rows, taps, filters), classes = table.shape, len(head)
    _check_size(table, head)
    substitution = np.zeros((classes, classes, rows, rows))
    spread = np.zeros((classes, classes, taps))
    appear, vanish = (np.zeros((classes, classes, taps, rows - 1)) for _ in range(2))
    for pair in permutations(range(classes), 2):
        difference = head[pair[0]] - head[pair[1]]
        tap_costs(
            table, difference, activation.increasing, substitution[pair], spread[pair], appear[pair], vanish[pair]
        )
    # The slope comes last: times a subnormal difference it would lose all its digits.
    costs = TapCosts(substitution[:, :, 1:, 1:], spread, appear, vanish).each(lambda cost: cost * activation.lipschitz)
    return replace(costs.rounded_up(4 * taps * filters), insertion=insertion_bounds(table, head, activation))


def insertion_bounds(table: Array, head: Array, activation: Activation) -> Array:
    """Return what one insertion can lose, by the theorem "Chains of symbols", for all pairs of classes; rounded up."""
    from levcert.kernels.conv_edits import tap_cost_matrix

    (rows, taps, filters), classes = table.shape, len(head)
    bounds = np.zeros((classes, classes))
    for pair in permutations(range(classes), 2):
        difference = head[pair[0]] - head[pair[1]]
        costs = np.zeros((taps, rows, rows))
        tap_cost_matrix(table, difference, activation.increasing, costs)
        appear = (np.maximum(table, 0) @ np.maximum(-difference, 0)).T  # what a ReLU loses by going up from 0
        bounds[pair] = _longest_chain(costs, appear if activation.name == "relu" else costs[:, 0])
    # A path adds taps costs of each of taps pairs of neighbours, and taps costs of symbols that appear.
    operations = 4 * taps * (filters + taps)
    bounds = bounds * activation.lipschitz
    rounded: Array = bounds * (1 + rounding_factor(operations)) + taps * operations * UNDERFLOW
    return rounded


def _longest_chain(costs: Array, appear: Array) -> float:
    from levcert.kernels.worst_edits import insertion_chains

    left, right = np.empty(appear.shape), np.empty(appear.shape)
    return insertion_chains(costs, np.ascontiguousarray(appear), left, right)[0]


def deep_form(
    embedding: Array, table: Array, kernels: Sequence[Array], head: Array, activation: Activation
) -> TapCosts:
    """Return the norm form, and where the tap costs with signs are smaller, those; with many classes the norm form."""
    _check_size(table, head)
    costs = norm_form(embedding, kernels, head, activation)
    rows, taps, _ = table.shape
    if len(head) ** 2 * taps * rows * float(_PER_CALL) > _MOST_OPERATIONS:
        return costs
    # The norm form is of the ideal network, so the table counts with its own rounding: both bound the same function.
    products = np.einsum("ad,jhd->ajh", np.abs(embedding), np.abs(kernels[0])).max(axis=0)
    error = 2 * rounding_factor(embedding.shape[1] + 2) * products + embedding.shape[1] * UNDERFLOW
    (entries,), of_table = norms.scaled_to_one(table)
    (classes, *deeper), of_rest = norms.scaled_to_one(head, *kernels[1:])
    signed = signed_form(entries, np.ldexp(error, -of_table), deeper, classes, activation)
    substitution, insertion = (norms.unscaled_up(cost, of_table + of_rest) for cost in signed)
    return replace(costs, replace=np.minimum(costs.replace, substitution), insertion=insertion)


def norm_form(embedding: Array, kernels: Sequence[Array], head: Array, activation: Activation) -> TapCosts:
    """Return the norm form with the p whose bound on an insertion is smallest; all three hold."""
    candidates = []
    (rows, classes, *layers), exponent = norms.scaled_to_one(embedding, head, *kernels)
    for p in norms.NORMS:
        kappa = np.array([activation.lipschitz ** len(kernels)])
        for kernel in layers:
            kappa = np.convolve(kappa, norms.tap_norms(kernel, p))
        costs = norm_tap_costs(kappa, norms.symbol_distances(rows, p), norms.pair_norms(classes, p))
        candidates.append(costs.each(partial(norms.unscaled_up, exponent=exponent)))
    return min(candidates, key=lambda costs: float(costs.shift.max() + costs.appear.max(axis=3).sum(axis=2).max()))


def replacement_costs(table: Array, head: Array, activation: Activation, label: int) -> Array:
    """Return d_j(a, b) for the margins of one label: classes × taps × symbols × symbols; for one layer."""
    from levcert.kernels.conv_edits import tap_cost_matrix

    rows, taps, filters = table.shape
    costs = np.zeros((len(head), taps, rows, rows))
    for other in range(len(head)):
        if other != label:
            tap_cost_matrix(table, head[label] - head[other], activation.increasing, costs[other])
    operations = 4 * taps * filters
    costs = costs[:, :, 1:, 1:] * activation.lipschitz
    rounded: Array = costs * (1 + rounding_factor(operations)) + operations * UNDERFLOW
    return rounded


def window_error(
    embedding: Array, kernels: Sequence[Array], table: Array, activation: Activation
) -> tuple[Array, Array]:
    """Bound the magnitude and the rounding error of each filter of the last layer in one window.

    Standard forward error analysis, layer by layer.  The table is itself a rounded product of E and K.  Products may
    underflow, which costs up to 2⁻¹⁰⁷⁵ each.
    """
    inputs, taps = embedding.shape[1], table.shape[1]
    magnitude = np.abs(table).max(axis=0).sum(axis=0)
    products = np.einsum("ad,jhd->ajh", np.abs(embedding), np.abs(kernels[0])).max(axis=0).sum(axis=0)
    error = rounding_factor(taps + 4) * magnitude + rounding_factor(inputs + 2) * products
    error = error + taps * inputs * UNDERFLOW
    slope = activation.lipschitz
    for layer, kernel in enumerate(kernels):
        if layer:
            weights = np.abs(kernel).sum(axis=0).T  # inputs × filters
            terms = len(kernel) * len(weights)
            error = error @ weights + rounding_factor(terms + 2) * ((magnitude + error) @ weights)
            error, magnitude = error + terms * UNDERFLOW, magnitude @ weights
        error = slope * error + rounding_factor(8) * slope * magnitude + UNDERFLOW
        magnitude = slope * magnitude
    return magnitude, error
