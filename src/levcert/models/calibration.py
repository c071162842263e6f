"""Probabilities from scores: p = softmax(f/T), with one temperature T for all texts, so that no label changes."""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]
Numbers = npt.NDArray[np.int64]

_COLDEST, _HOTTEST = 1e-6, 1e9  # temperatures
_HALVINGS: Final = 80
_BINS: Final = 15  # of the expected calibration error


def probabilities(scores: Array, temperature: float = 1.0) -> Array:
    """Return softmax(f/T) of each row of scores; the largest score has the largest probability."""
    odds = np.exp((scores - scores.max(axis=1, keepdims=True)) / temperature)
    result: Array = odds / odds.sum(axis=1, keepdims=True)
    return result


def fitted_temperature(scores: Array, labels: Numbers) -> float:
    """Return the T with the least log loss on rows that the model was not trained on.

    The log loss is convex in β = 1/T, with the derivative Σ (E_p[f] − E_t[f]), so bisection finds the minimum.  As
    Platt does, the true class counts as (n + 1)/(n + 2) and the others share the rest: otherwise scores that separate
    all of n rows would ask for T = 0, which is certainty.
    """
    rows, classes = scores.shape
    rest = 1 / (rows + 2)
    wanted = np.full((rows, classes), rest / (classes - 1))
    wanted[np.arange(rows), labels] = 1 - rest
    centred = scores - (wanted * scores).sum(axis=1, keepdims=True)

    def slope(temperature: float) -> float:
        """Return the derivative of the log loss by β: above 0 if the temperature is too low."""
        return float((probabilities(scores, temperature) * centred).sum())

    low, high = np.log(_COLDEST), np.log(_HOTTEST)
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if slope(float(np.exp(middle))) > 0:
            low = middle
        else:
            high = middle
    return float(np.exp((low + high) / 2))


def log_loss(chances: Array, labels: Numbers) -> float:
    """Return the mean of −log p of the true class; p counts as at least the smallest positive float."""
    own = chances[np.arange(len(labels)), labels]
    return float(-np.log(np.maximum(own, np.finfo(np.float64).tiny)).mean())


def expected_calibration_error(chances: Array, labels: Numbers, bins: int = _BINS) -> float:
    """Return Σ_b n_b/n · |accuracy of bin b − mean confidence of bin b|, over bins of equal width of the confidence."""
    confidence, right = chances.max(axis=1), chances.argmax(axis=1) == labels
    number = np.minimum((confidence * bins).astype(np.int64), bins - 1)
    gaps = np.bincount(number, confidence - right, minlength=bins)
    return float(np.abs(gaps).sum() / len(labels))
