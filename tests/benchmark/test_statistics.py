"""Differences, standard errors and marks."""

from math import sqrt
from statistics import pstdev

import pytest

from levcert.benchmark.statistics import Comparison, sampling_variance


def test_the_published_deviations_divide_by_the_number_of_seeds():
    """Fake-News p=∞: 85.33 ± 0.94 on 50 texts; no three multiples of 2 % give that with n − 1."""
    assert round(pstdev([84, 86, 86]), 2) == 0.94


def test_standard_error_of_two_means():
    comparison = Comparison((80.0, pstdev([79, 80, 81])), [81.0, 82.0, 83.0])
    assert comparison.difference == 2
    assert comparison.standard_error == pytest.approx(sqrt(1 / 3 + 1 / 3))
    assert comparison.differs
    assert not Comparison((80.0, pstdev([79, 80, 81])), [80.0, 81.0, 82.0]).differs


def test_a_missing_deviation_is_that_of_the_other_side():
    assert Comparison((80.0, pstdev([79, 80, 81])), [82.0]).standard_error == pytest.approx(sqrt(1 / 3 + 1))
    assert Comparison((80.0, None), [79.0, 80.0, 81.0]).standard_error == pytest.approx(sqrt(2 / 3))
    assert Comparison((80.0, None), [79.0]).standard_error is None
    assert not Comparison((80.0, None), [10.0]).differs
    assert Comparison(None, [10.0]).difference is None
    assert Comparison((80.0, 0.1), []).difference is None


def test_rounding_of_published_values_is_no_difference():
    assert not Comparison((1.83, 0.0), [1.83, 1.83, 1.85]).differs
    assert Comparison((1.83, 0.0), [2.0, 2.0, 2.0]).differs


def test_fewer_texts_add_to_the_error():
    assert sampling_variance(50, 200, 1000) == pytest.approx(100**2 * 0.25 * (1 / 200 - 1 / 1000))
    assert sampling_variance(50, 1000, 1000) == 0
    apart = Comparison((50.0, 0.0), [53.0, 53.0, 53.0])
    assert apart.differs
    assert not Comparison((50.0, 0.0), [53.0, 53.0, 53.0], sampling_variance(53, 200, 1000)).differs
