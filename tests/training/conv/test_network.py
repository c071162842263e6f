import math

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from levcert import Alphabet
from levcert.models import norms
from levcert.training.conv import constants
from levcert.training.conv.config import TrainingConfig
from levcert.training.conv.features import plain_pooled_features, pooled_features
from levcert.training.conv.network import ConvNetwork

SMALL = {"kernel_size": 3, "filters": 8, "embedding_size": 6}
ALPHABET = Alphabet("abcde")


def encoded(seed, texts=4, longest=9):
    rng = np.random.default_rng(seed)
    return ALPHABET.encode_many(["".join(rng.choice(list("abcde"), rng.integers(0, longest))) for _ in range(texts)])


def weights(seed, layers, taps):
    generator = torch.Generator().manual_seed(seed)
    sizes = [3] + [4] * layers
    tensors = [torch.randn(5, 3, generator=generator, dtype=torch.float64)]
    tensors += [
        torch.randn(taps, sizes[i + 1], sizes[i], generator=generator, dtype=torch.float64) for i in range(layers)
    ]
    return [tensor.requires_grad_() for tensor in tensors]


@given(
    st.integers(0, 1000), st.integers(1, 3), st.sampled_from([1, 2, 5, 7]), st.sampled_from(["relu", "tanh", "gelu"]),
    st.sampled_from([1, 2, 3]),
)  # fmt: skip
@settings(max_examples=40)
def test_kernels_are_the_plain_torch_network_forwards_and_backwards(seed, layers, taps, activation, threads):
    results = []
    for function in (lambda *a: pooled_features(*a, threads), plain_pooled_features):
        E, *kernels = weights(seed, layers, taps)
        features = function(E, kernels, encoded(seed), activation)
        signs = torch.from_numpy(np.random.default_rng(seed).normal(size=features.shape))
        (features * signs).sum().backward()
        results.append([features.detach(), E.grad, *(K.grad for K in kernels)])
    for fast, plain in zip(*results, strict=True):
        torch.testing.assert_close(fast, plain, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("filters", [1, 128, 130])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_lanes_and_counts_end_where_they_should(filters, dtype):
    """More filters than lanes, and windows of one text that no byte can count."""
    generator = torch.Generator().manual_seed(filters)
    texts = ALPHABET.encode_many(["a" * 1000, "", "ab" * 300, "c", "abcde" * 51])
    results = []
    for function in (pooled_features, plain_pooled_features):
        generator.manual_seed(1)
        E = torch.randn(5, 3, generator=generator, dtype=dtype, requires_grad=True)
        K = torch.randn(4, filters, 3, generator=generator, dtype=dtype, requires_grad=True)
        features = function(E, [K], texts)
        (features * torch.randn(features.shape, generator=generator, dtype=dtype)).sum().backward()
        results.append([features.detach(), E.grad, K.grad])
    rtol, atol = (1e-4, 0.02) if dtype == torch.float32 else (1e-10, 1e-9)  # sums of a thousand terms about 1
    for fast, plain in zip(*results, strict=True):
        torch.testing.assert_close(fast, plain, rtol=rtol, atol=atol)


def test_a_weight_that_is_no_number_is_seen():
    E, K = weights(3, 1, 3)
    with torch.no_grad():
        E[2, 1] = math.nan
    assert pooled_features(E, [K], ALPHABET.encode_many(["abc"])).isnan().all()


def test_gradients_are_derivatives():
    E, K = weights(3, 1, 3)
    texts = encoded(3)
    assert torch.autograd.gradcheck(lambda E, K: pooled_features(E, [K], texts), (E, K), eps=1e-7, atol=1e-5)


@given(st.integers(0, 1000), st.sampled_from([1.0, 2.0, math.inf]))
def test_differentiable_constants_are_the_exact_ones(seed, p):
    rng = np.random.default_rng(seed)
    E, K, W = rng.normal(size=(5, 3)), rng.normal(size=(3, 4, 3)), rng.normal(size=(3, 4))
    tensors = [torch.from_numpy(x) for x in (E, K, W)]
    assert float(constants.embedding_constant(tensors[0], p)) == pytest.approx(norms.embedding_constant(E, p))
    assert float(constants.head_constant(tensors[2], p)) == pytest.approx(norms.head_constant(W, p))
    basis = constants.leading_basis(tensors[1])
    assert float(constants.kernel_constant(tensors[1], p, basis)) == pytest.approx(norms.kernel_constant(K, p))


@given(st.integers(0, 1000), st.sampled_from([0.0, 0.01, 20.0]))
def test_singular_vectors_follow_the_weights(seed, move):
    """Also where they jump, as in the first steps of training, and where the largest values are nearly equal."""
    rng = np.random.default_rng(seed)
    turns = [np.linalg.qr(rng.normal(size=(3, n, n)))[0] for n in (30, 40)]
    K = np.einsum("jhk,k,jkd->jhd", turns[0], np.linspace(1, 0.8, 30), turns[1][:, :30])
    basis = constants.leading_basis(torch.from_numpy(K)).numpy()
    K += move * rng.normal(size=(3, 30, 1)) * rng.normal(size=(3, 1, 40)) / 30
    left, right = constants.leading_pairs(K, basis)
    found = np.einsum("jh,jhd,jd->j", left, K, right)
    np.testing.assert_allclose(found, np.linalg.norm(K, ord=2, axis=(1, 2)), rtol=0.01)
    np.testing.assert_allclose(np.linalg.norm(left, axis=1), 1)
    np.testing.assert_allclose(np.linalg.norm(right, axis=1), 1)


@given(st.integers(0, 1000), st.sampled_from([1.0, 2.0, math.inf]), st.integers(1, 4), st.sampled_from([1, 2]))
@settings(max_examples=60)
def test_the_shallow_network_by_hand_is_what_autograd_makes_of_it(seed, p, taps, threads):
    results = []
    for by_hand in (True, False):
        config = TrainingConfig(p=p, kernel_size=taps, filters=4, embedding_size=3, seed=seed, threads=threads)
        network = ConvNetwork(config, ALPHABET.size, 3, torch.float64)
        network._is_shallow = by_hand
        scores = network(encoded(seed))
        (scores * torch.from_numpy(np.random.default_rng(seed).normal(size=scores.shape))).sum().backward()
        parameters = list(network.parameters())
        results.append([scores.detach(), *(x.grad for x in parameters), *network.buffers()])
    for fast, plain in zip(*results, strict=True):
        torch.testing.assert_close(fast, plain, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("p", [1.0, 2.0, math.inf])
@pytest.mark.parametrize("weight", [math.nan, math.inf, 0.0])
def test_weights_that_cannot_be_divided_make_the_loss_say_so(p, weight):
    """The loop then stops with a sentence; an exception from within would be less."""
    network = ConvNetwork(TrainingConfig(p=p, **{**SMALL, "seed": 1}), ALPHABET.size, 2)
    with torch.no_grad():
        for tensor in network.parameters():
            tensor.fill_(weight)
    scores = network(ALPHABET.encode_many(["abc", "de"]))
    scores.sum().backward()
    assert not scores.isfinite().any()


@given(st.integers(0, 1000))
def test_the_substitution_constant_is_the_largest_of_all(seed):
    rng = np.random.default_rng(seed)
    table, W = rng.normal(size=(4, 3, 2)), rng.normal(size=(3, 2))
    expected = max(
        np.maximum(0, (W[y] - W[z]) * (table[a] - table[b])).sum()
        for y in range(3) for z in range(3) for a in range(4) for b in range(4)
    )  # fmt: skip
    tensors = torch.from_numpy(table), torch.from_numpy(W)
    worst = constants.worst_substitutions(*tensors, 3)
    assert float(constants.substitution_constant(*tensors, worst)) == pytest.approx(expected)
