import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from levcert.text.alphabet import EncodedTexts
from levcert.training.conv import fft_convolution
from levcert.training.conv.features import plain_pooled_features, pooled_features

SYMBOLS = 5


def encoded(lengths, seed=0):
    ids = np.random.default_rng(seed).integers(1, SYMBOLS + 1, sum(lengths)).astype(np.int32)
    return EncodedTexts(ids, np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)]))


def weights(taps, sizes, dtype, seed=0):
    """An embedding and a kernel per number of taps, scaled so that layers neither die nor explode."""
    generator = torch.Generator().manual_seed(seed)
    E = torch.randn(SYMBOLS, sizes[0], generator=generator, dtype=torch.float64)
    kernels = [
        torch.randn(j, after, before, generator=generator, dtype=torch.float64) / (j * before) ** 0.5
        for j, before, after in zip(taps, sizes[:-1], sizes[1:], strict=True)
    ]
    return [tensor.to(dtype).requires_grad_() for tensor in (E, *kernels)]


def features_and_gradients(function, tensors, texts, activation):
    features = function(tensors[0], tensors[1:], texts, activation)
    signs = torch.from_numpy(np.random.default_rng(1).normal(size=features.shape)).to(features)
    return [features.detach(), *torch.autograd.grad((features * signs).sum(), tensors)]


def assert_near(fast, plain, tolerance):
    for one, other in zip(fast, plain, strict=True):
        assert one.shape == other.shape
        assert one.dtype == other.dtype
        assert (one - other).norm() <= tolerance * max(float(other.norm()), 1e-3)  # a dead layer is zero to rounding


@st.composite
def networks(draw):
    taps = draw(st.lists(st.integers(1, 14), min_size=2, max_size=4))
    sizes = draw(st.lists(st.integers(1, 9), min_size=len(taps) + 1, max_size=len(taps) + 1))
    lengths = draw(st.lists(st.one_of(st.just(0), st.integers(0, 6), st.integers(0, 90)), min_size=1, max_size=6))
    return taps, sizes, lengths, draw(st.integers(0, 1000))


@given(networks(), st.sampled_from(["relu", "leaky_relu", "tanh", "gelu"]))
@settings(max_examples=60, deadline=None)
def test_fast_layers_are_the_plain_ones(network, activation):
    taps, sizes, lengths, seed = network
    texts = encoded([*lengths, 1], seed)
    tensors = weights(taps, sizes, torch.float64, seed)
    fast = features_and_gradients(pooled_features, tensors, texts, activation)
    assert_near(fast, features_and_gradients(plain_pooled_features, tensors, texts, activation), 1e-9)


@given(networks(), st.sampled_from(["tanh", "gelu"]))  # without a kink that rounding could put on the other side
@settings(max_examples=40, deadline=None)
def test_fast_layers_are_the_plain_ones_in_single_precision(network, activation):
    taps, sizes, lengths, seed = network
    texts = encoded([*lengths, 1], seed)
    fast = features_and_gradients(pooled_features, weights(taps, sizes, torch.float32, seed), texts, activation)
    plain = features_and_gradients(plain_pooled_features, weights(taps, sizes, torch.float64, seed), texts, activation)
    # Sums of both signs may nearly cancel, so errors are measured against the size of what is added up.
    scale = 1 + sum(lengths)
    for one, other in zip(fast, plain, strict=True):
        assert (one - other).norm() <= 1e-4 * max(float(other.norm()), 1e-2 * scale)


@pytest.mark.parametrize(("taps", "length"), [(5, 54), (10, 236)])
def test_layers_of_full_size_in_single_precision(taps, length):
    lengths = np.random.default_rng(0).integers(1, 2 * length, 12).tolist()
    tensors = weights([taps] * 3, [20, 100, 100, 100], torch.float32)
    fast = features_and_gradients(pooled_features, tensors, encoded(lengths), "relu")
    exact = [tensor.detach().double().requires_grad_() for tensor in tensors]
    plain = features_and_gradients(plain_pooled_features, exact, encoded(lengths), "relu")
    assert_near(fast, [tensor.float() for tensor in plain], 1e-4)


def test_the_same_batch_gives_the_same_bits_whatever_ran_before():
    tensors = weights([5] * 3, [4, 7, 7, 7], torch.float32)

    def run(lengths):
        return features_and_gradients(pooled_features, tensors, encoded(lengths), "relu")

    first = run([30, 0, 50])
    for lengths in ([200, 100], [1], [30, 0, 49], []):
        run(lengths)
        for memory in fft_convolution._Scratch._free:
            memory[:] = 255  # not a number, should anyone read it
        for one, other in zip(run([30, 0, 50]), first, strict=True):
            assert torch.equal(one, other)


def test_a_kept_graph_gives_its_gradients_again():
    tensors = weights([3, 3, 3], [4, 5, 6, 7], torch.float32)
    features = pooled_features(tensors[0], tensors[1:], encoded([20, 3]))
    first = torch.autograd.grad(features.sum(), tensors, retain_graph=True)
    pooled_features(tensors[0], tensors[1:], encoded([25, 1])).sum().backward()
    second = torch.autograd.grad(features.sum(), tensors)
    assert all(torch.equal(one, other) for one, other in zip(first, second, strict=True))


@pytest.mark.parametrize("lengths", [[], [0], [0, 0, 0]], ids=str)
def test_nothing_to_read_gives_zeros(lengths):
    tensors = weights([12, 12, 12], [4, 5, 6, 7], torch.float32)
    features, *gradients = features_and_gradients(pooled_features, tensors, encoded(lengths), "relu")
    assert features.shape == (len(lengths), 7)
    assert not any(tensor.any() for tensor in (features, *gradients))


def test_derivatives_of_deep_networks():
    tensors = weights([3, 4, 2], [2, 3, 2, 3], torch.float64, seed=1)
    texts = encoded([7, 0, 2])
    assert torch.autograd.gradcheck(
        lambda E, *kernels: pooled_features(E, list(kernels), texts, "tanh"), tensors, eps=1e-7, atol=1e-5
    )


def test_memory_is_used_again():
    tensors = weights([5, 5, 5], [4, 5, 6, 7], torch.float32)
    fft_convolution._Scratch._free.clear()
    counts = []
    for _ in range(4):
        pooled_features(tensors[0], tensors[1:], encoded([40, 30])).sum().backward()
        counts.append(len(fft_convolution._Scratch._free))
    assert counts[0] > 0
    assert len(set(counts)) == 1
