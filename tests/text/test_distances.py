from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from levcert import InputError, erp, levenshtein

TEXTS = st.text("abc", max_size=8)
PS = st.sampled_from([1, 1.5, 2, 3, 10, np.inf])
SEQUENCES = (
    st.integers(0, 5)
    .flatmap(
        lambda n: st.lists(
            st.lists(st.integers(-3, 3).map(lambda x: x / 2), min_size=2, max_size=2), min_size=n, max_size=n
        )
    )
    .map(lambda rows: np.array(rows, dtype=float).reshape(-1, 2))
)


def slow_levenshtein(a, b):
    """The paper's recursion, word by word."""

    @cache
    def distance(i, j):
        if i == len(a):
            return len(b) - j
        if j == len(b):
            return len(a) - i
        if a[i] == b[j]:
            return distance(i + 1, j + 1)
        return 1 + min(distance(i + 1, j + 1), distance(i + 1, j), distance(i, j + 1))

    return distance(0, 0)


def slow_erp(A, B, p):
    """The paper's definition of ERP, word by word."""

    def norm(vector):
        return np.linalg.norm(vector, p)

    @cache
    def distance(i, j):
        if j == len(B):
            return sum(map(norm, A[i:]))
        if i == len(A):
            return sum(map(norm, B[j:]))
        return min(
            norm(A[i]) + distance(i + 1, j),
            norm(B[j]) + distance(i, j + 1),
            norm(A[i] - B[j]) + distance(i + 1, j + 1),
        )

    return distance(0, 0)


def one_hot(text):
    return np.eye(3)[[ord(character) - ord("a") for character in text]].reshape(-1, 3)


@given(TEXTS, TEXTS)
def test_levenshtein_is_the_recursion(a, b):
    assert levenshtein(a, b) == slow_levenshtein(a, b)
    assert levenshtein(a.encode(), b.encode()) == levenshtein(a, b)
    assert levenshtein(list(a), list(b)) == levenshtein(a, b)


@given(TEXTS, TEXTS, st.integers(0, 9))
def test_levenshtein_within_a_cutoff(a, b, cutoff):
    assert levenshtein(a, b, cutoff=cutoff) == min(levenshtein(a, b), cutoff + 1)


@given(SEQUENCES, SEQUENCES, PS)
def test_erp_is_the_recursion(A, B, p):
    assert erp(A, B, p=p) == pytest.approx(slow_erp(A, B, p), rel=1e-12, abs=1e-12)


# The paper's lemma on the properties of ERP, letter by letter.


@given(TEXTS, TEXTS)
def test_erp_a_on_one_hot_vectors_with_p_infinity_is_levenshtein(a, b):
    assert erp(one_hot(a), one_hot(b), p=np.inf) == levenshtein(a, b)


@given(SEQUENCES, SEQUENCES, PS)
def test_erp_b_zeros_at_either_end_do_not_count(A, B, p):
    zero = np.zeros((1, 2))
    for extended in (np.vstack([A, zero]), np.vstack([zero, A])):
        assert erp(extended, B, p=p) == pytest.approx(erp(A, B, p=p), rel=1e-12, abs=1e-12)


@given(SEQUENCES, PS)
def test_erp_c_distance_to_the_empty_sequence_is_the_sum_of_norms(A, p):
    assert erp(A, [], p=p) == pytest.approx(sum(np.linalg.norm(row, p) for row in A), rel=1e-12)


@given(SEQUENCES, SEQUENCES, PS)
def test_erp_d_is_symmetric(A, B, p):
    assert erp(A, B, p=p) == pytest.approx(erp(B, A, p=p), rel=1e-12, abs=1e-12)


@given(SEQUENCES, SEQUENCES, SEQUENCES, PS)
@settings(max_examples=200)
def test_erp_e_triangle_inequality(A, B, C, p):
    assert erp(A, B, p=p) <= erp(A, C, p=p) + erp(C, B, p=p) + 1e-9


@given(SEQUENCES, PS)
def test_erp_f_is_no_distance_because_of_zeros(A, p):
    assert erp(A, np.vstack([A, np.zeros((1, 2))]), p=p) == 0


@given(SEQUENCES, SEQUENCES, PS)
def test_lemma_difference_of_sums(A, B, p):
    assert np.linalg.norm(A.sum(axis=0) - B.sum(axis=0), p) <= erp(A, B, p=p) + 1e-9


@given(SEQUENCES, SEQUENCES, PS)
def test_lemma_elementwise_one_lipschitz_functions(A, B, p):
    assert erp(np.maximum(A, 0), np.maximum(B, 0), p=p) <= erp(A, B, p=p) + 1e-9


@given(SEQUENCES, SEQUENCES, st.sampled_from([1, 2, np.inf]))
def test_lemma_linear_transformations(A, B, p):
    V = np.array([[1.0, -2.0, 0.5], [0.25, 1.0, 3.0]])
    assert erp(A @ V, B @ V, p=p) <= erp(A, B, p=p) * np.linalg.norm(V.T, p) + 1e-9


def test_erp_of_large_vectors_does_not_overflow():
    assert erp([[3e200, 4e200]], [], p=2) == pytest.approx(5e200)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: erp([[1.0]], [[1.0]], p=0.5), "p ≥ 1"),
        (lambda: erp([[1.0]], [[1.0]], p=float("nan")), "p ≥ 1"),
        (lambda: erp([[1.0]], [[1.0, 2.0]]), "equal dimension"),
        (lambda: erp([1.0, 2.0], [[1.0]]), "length × dimension"),
        (lambda: erp([[np.nan]], [[1.0]]), "finite"),
        (lambda: levenshtein("a", b"a"), "Cannot compare str with bytes"),
        (lambda: levenshtein("a", "b", cutoff=-1), "at least 0"),
    ],
)
def test_refusals_say_why(call, message):
    with pytest.raises(InputError, match=message):
        call()


def test_erp_of_two_empty_sequences_is_zero():
    assert erp([], []) == 0
