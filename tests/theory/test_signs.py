"""The theorem "Signs": tap costs of deep networks bound what a window loses, for any symbols at the other taps."""

from itertools import product

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from levcert import Alphabet, ConvModel
from levcert.models.conv_bounds import norm_form
from levcert.models.signed_costs import signed_form, unit_worths


def deep_model(seed, layers, activation):
    rng = np.random.default_rng(seed)
    kernels = [rng.normal(size=(int(rng.integers(1, 3)), 3, 2 if i == 0 else 3)) for i in range(layers)]
    return ConvModel(Alphabet("ab"), rng.normal(size=(2, 2)), kernels, rng.normal(size=(2, 3)), activation=activation)


def tap_costs(model):
    """d_t(a, b) of the pair (0, 1), straight from the formula."""
    plus, minus = unit_worths(model.kernels[1:], model.head[0] - model.head[1], model.activation)
    costs = np.zeros((model.width, 3, 3))
    for j, s, a, b in product(range(model.table.shape[1]), range(len(plus)), range(3), range(3)):
        x = model.table[a, j] - model.table[b, j]
        costs[j + s, a, b] += plus[s] @ np.maximum(x, 0) + minus[s] @ np.maximum(-x, 0)
    return costs


MODELS = st.builds(deep_model, st.integers(0, 10**6), st.integers(1, 3), st.sampled_from(["relu", "tanh", "gelu"]))


@given(MODELS)
@settings(max_examples=60)
def test_no_window_loses_more_than_its_tap_costs(model):
    costs = tap_costs(model)
    windows = np.array(list(product(range(3), repeat=model.width)), dtype=np.int32)
    margins = np.subtract(*model.window_scores(windows).T)
    for u, before in zip(windows, margins, strict=True):
        for v, after in zip(windows, margins, strict=True):
            assert before - after <= sum(costs[t, u[t], v[t]] for t in range(model.width)) + 1e-9


@given(MODELS)
@settings(max_examples=30)
def test_the_fast_sums_are_the_formula_and_the_model_takes_the_smaller_form(model):
    costs = tap_costs(model)
    substitution, insertion = signed_form(
        model.table, np.zeros(model.table.shape[1:]), model.kernels[1:], model.head, model.activation
    )
    np.testing.assert_allclose(substitution[0, 1], costs.sum(axis=0)[1:, 1:], rtol=1e-8, atol=1e-12)
    if len(model.kernels) > 1:
        norms = norm_form(model.embedding, model.kernels, model.head, model.activation)
        for found, first, second in zip(
            model.tap_costs.edit_costs(),
            norms.edit_costs(),
            (substitution.max(axis=(2, 3)), insertion, insertion.T),
            strict=True,
        ):
            assert (found <= np.minimum(first, second) * (1 + 1e-9) + 1e-290).all()
