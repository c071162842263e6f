"""The cost of one edit: kernels against enumeration, gradients against autograd, and the theorem against all texts."""

from itertools import product

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from levcert import Alphabet, ConvModel
from levcert.models.activations import get_activation
from levcert.models.conv_bounds import insertion_bounds
from levcert.models.signed_costs import signed_form
from levcert.training.conv.edit_constants import edit_constants


def slow_insertion(costs, appear):
    """min_u max_v Σ_i n_i(v_i) + Σ_{i<u} Σ_{j≤i} d_j(v_i, v_{i+1}) + Σ_{i>u} Σ_{j≥i} d_j(v_i, v_{i−1}), all v tried."""
    taps, rows = appear.shape
    bounds = []
    for u in range(taps):
        losses = []
        for v in product(range(rows), repeat=taps):
            loss = sum(appear[i, v[i]] for i in range(taps))
            loss = loss + sum(costs[j, v[i], v[i + 1]] for i in range(u) for j in range(i + 1))
            loss = loss + sum(costs[j, v[i], v[i - 1]] for i in range(u + 1, taps) for j in range(i, taps))
            losses.append(loss)
        bounds.append(torch.stack(losses).amax())
    return torch.stack(bounds).amin()


def slow_constant(table, w, relu):
    """max(S, I, X) of one pair of classes, from the definitions."""

    def tap_costs(w):
        scaled = table * w
        return (scaled[:, None] - scaled[None]).clamp(min=0).sum(dim=3).permute(2, 0, 1)

    def appear(w):
        return ((-w).clamp(min=0) * table.clamp(min=0)).sum(dim=2).T if relu else tap_costs(w)[:, 0]

    substitution = tap_costs(w).sum(dim=0)[1:, 1:].amax()
    insertion, deletion = (slow_insertion(tap_costs(v), appear(v)) for v in (w, -w))
    return torch.stack([substitution, insertion, deletion]).amax()


def weights(seed, symbols, taps, filters, classes):
    generator = torch.Generator().manual_seed(seed)
    table = torch.randn(symbols + 1, taps, filters, generator=generator, dtype=torch.float64)
    table[0] = 0
    return table.requires_grad_(), torch.randn(
        classes, filters, generator=generator, dtype=torch.float64
    ).requires_grad_()


SIZES = st.tuples(st.integers(0, 10**6), st.integers(1, 2), st.integers(1, 4), st.integers(1, 3), st.integers(2, 3))


@given(SIZES, st.booleans())
@settings(max_examples=40)
def test_constants_and_gradients_are_those_of_the_definition(sizes, relu):
    table, W = weights(*sizes)
    fast = edit_constants(table, [], W, get_activation("relu" if relu else "tanh"))
    signs = torch.from_numpy(np.random.default_rng(sizes[0]).normal(size=fast.shape))
    fast_gradients = torch.autograd.grad((fast * signs).sum(), (table, W))
    slow = torch.ones_like(fast)
    for y, other in product(range(len(W)), repeat=2):
        if y != other:
            slow[y, other] = slow_constant(table, W[y] - W[other], relu)
    torch.testing.assert_close(fast, slow)
    for quick, plain in zip(fast_gradients, torch.autograd.grad((slow * signs).sum(), (table, W)), strict=True):
        torch.testing.assert_close(quick[1:] if quick.dim() == 3 else quick, plain[1:] if plain.dim() == 3 else plain)


@given(SIZES, st.sampled_from(["relu", "tanh", "leaky_relu"]))
@settings(max_examples=40)
def test_training_and_certifying_agree_on_the_constant(sizes, activation):
    table, W = (x.detach() for x in weights(*sizes))
    symbols, taps, filters = len(table) - 1, table.shape[1], table.shape[2]
    model = ConvModel(  # the embedding tells symbols apart, so that the kernel holds the table as it is
        Alphabet("abc"[:symbols]),
        np.eye(symbols),
        [table[1:].permute(1, 2, 0).numpy()],
        W.numpy(),
        activation=activation,
    )
    assert model.table.shape == (symbols + 1, taps, filters)
    certified = np.max(model.tap_costs.edit_costs(), axis=0)
    trained = edit_constants(table, [], W, get_activation(activation)).numpy()
    np.testing.assert_allclose(certified + np.eye(len(W)), trained, rtol=1e-9, atol=1e-12)


@given(SIZES, st.sampled_from(["relu", "tanh", "gelu"]))
@settings(max_examples=40)
def test_chains_are_never_above_taps(sizes, activation):
    """The path through one window can at most take the largest cost of every tap."""
    table, W = (x.detach().numpy() for x in weights(*sizes))
    chosen = get_activation(activation)
    model = ConvModel(
        Alphabet("abc"[: len(table) - 1]),
        np.eye(len(table) - 1),
        [table[1:].transpose(1, 2, 0)],
        W,
        activation=activation,
    )
    costs = model.tap_costs
    by_taps = costs.shift + costs.appear.max(axis=3).sum(axis=2)
    assert (insertion_bounds(model.table, W, chosen) <= by_taps * (1 + 1e-9) + 1e-12).all()


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_zero_weights_cost_nothing(dtype):
    constants = edit_constants(
        torch.zeros(3, 2, 4, dtype=dtype), [], torch.zeros(2, 4, dtype=dtype), get_activation("relu")
    )
    assert constants.dtype == dtype
    assert constants.tolist() == [[1, 0], [0, 1]]


def test_a_single_tap_has_no_neighbours():
    """With windows of one symbol an insertion costs what the symbol brings, and nothing is shifted."""
    table = torch.tensor([[[0.0]], [[2.0]], [[-3.0]]], dtype=torch.float64)
    W = torch.tensor([[-1.0], [0.0]], dtype=torch.float64)
    assert (
        float(edit_constants(table, [], W, get_activation("relu"))[0, 1]) == 5.0
    )  # the substitution of −3 by 2, whatever ReLU makes of it
    assert insertion_bounds(table.numpy(), W.numpy(), get_activation("relu"))[0, 1] == pytest.approx(2.0)


@given(st.integers(0, 10**6), st.integers(2, 3), st.sampled_from(["relu", "tanh", "gelu"]))
@settings(max_examples=30)
def test_deep_constants_are_those_of_the_certifier_and_one_unit_per_filter_is_one_layer(seed, layers, activation):
    """Folding divides by what the certifier computes; a second layer that passes units on changes no constant."""
    rng = np.random.default_rng(seed)
    E, W = rng.normal(size=(2, 3)), rng.normal(size=(3, 4))
    kernels = [rng.normal(size=(int(rng.integers(1, 4)), 4, 3 if i == 0 else 4)) for i in range(layers)]
    model = ConvModel(Alphabet("ab"), E, kernels, W, activation=activation)
    substitution, insertion = signed_form(
        model.table, np.zeros(model.table.shape[1:]), kernels[1:], W, model.activation
    )
    expected = np.max([substitution.max(axis=(2, 3)), insertion, insertion.T], axis=0)
    tensors = [torch.tensor(x) for x in (model.table, *kernels[1:], W)]
    found = edit_constants(tensors[0], tensors[1:-1], tensors[-1], model.activation).numpy()
    np.testing.assert_allclose(found - np.eye(3), expected, rtol=1e-8, atol=1e-12)
    if activation == "relu":
        passed_on = [tensors[0], torch.eye(4, dtype=torch.float64)[None], tensors[-1]]
        one = edit_constants(passed_on[0], [], passed_on[2], model.activation)
        torch.testing.assert_close(edit_constants(passed_on[0], [passed_on[1]], passed_on[2], model.activation), one)


@given(st.integers(0, 10**6), st.sampled_from(["relu", "tanh", "gelu"]))
@settings(max_examples=20)
def test_gradients_of_deep_constants_are_derivatives(seed, activation):
    rng = np.random.default_rng(seed)
    table, K, W = (torch.from_numpy(rng.normal(size=size)).requires_grad_() for size in ((2, 2, 3), (2, 3, 3), (2, 3)))

    def constant(table, K, W):
        with_padding = torch.cat([torch.zeros(1, 2, 3, dtype=torch.float64), table])
        return edit_constants(with_padding, [K], W, get_activation(activation))[0, 1]

    assert torch.autograd.gradcheck(constant, (table, K, W), eps=1e-7, atol=1e-4)
