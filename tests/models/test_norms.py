import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from levcert import InputError
from levcert.models.norms import (
    dual_exponent,
    embedding_constant,
    head_constant,
    kernel_constant,
    local_embedding_constants,
    margin_constants,
    operator_norm,
    pair_norms,
)

PS = st.sampled_from([1.0, 2.0, np.inf])
SEEDS = st.integers(0, 10_000)


@given(SEEDS, PS)
def test_constants_are_their_formulas(seed, p):
    rng = np.random.default_rng(seed)
    E, K, W = rng.normal(size=(4, 3)), rng.normal(size=(2, 5, 3)), rng.normal(size=(3, 5))
    rows = [np.zeros(3), *E]
    assert embedding_constant(E, p) == pytest.approx(max(np.linalg.norm(a - b, p) for a in rows for b in rows))
    present = rng.random((5, 4)) < 0.4
    local = [max(np.linalg.norm(a - b, p) for a in [rows[0], *E[held]] for b in rows) for held in present]
    np.testing.assert_allclose(local_embedding_constants(E, present, p), local)
    assert kernel_constant(K, p) == pytest.approx(sum(np.linalg.norm(tap, p) for tap in K))
    r = {1: np.inf, 2: 2, np.inf: 1}[p]
    pairs = np.array([[np.linalg.norm(a - b, r) for b in W] for a in W])
    np.testing.assert_allclose(pair_norms(W, p), pairs)
    assert head_constant(W, p) == pytest.approx(pairs.max())
    expected = pairs * embedding_constant(E, p) * kernel_constant(K, p)
    np.testing.assert_allclose(margin_constants(E, [K], W, p), expected)


@given(SEEDS, PS)
def test_operator_norms_bound_what_a_matrix_does_and_are_attained(seed, p):
    rng = np.random.default_rng(seed)
    K = rng.normal(size=(4, 3))
    vectors = rng.normal(size=(200, 3))
    stretch = np.linalg.norm(vectors @ K.T, p, axis=1) / np.linalg.norm(vectors, p, axis=1)
    assert stretch.max() <= operator_norm(K, p) * (1 + 1e-12)
    corners = {
        1.0: np.eye(3),
        2.0: np.linalg.svd(K)[2][:1],
        np.inf: np.sign(K),
    }[p]
    attained = np.linalg.norm(corners @ K.T, p, axis=1) / np.linalg.norm(corners, p, axis=1)
    assert attained.max() == pytest.approx(operator_norm(K, p))


@given(SEEDS, PS)
def test_local_is_never_larger_than_global(seed, p):
    rng = np.random.default_rng(seed)
    E = rng.normal(size=(6, 2))
    local = local_embedding_constants(E, rng.random((9, 6)) < 0.5, p)
    assert (local <= embedding_constant(E, p)).all()


@given(SEEDS, PS)
def test_hoelder(seed, p):
    a, b = np.random.default_rng(seed).normal(size=(2, 7))
    assert abs(a @ b) <= np.linalg.norm(a, dual_exponent(p)) * np.linalg.norm(b, p) * (1 + 1e-12)


def test_other_norms_are_refused():
    with pytest.raises(InputError, match="p = 1, 2 and inf"):
        embedding_constant(np.eye(2), 3)
