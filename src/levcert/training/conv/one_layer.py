"""One 1-Lipschitz layer with ReLU, forwards and backwards by hand: what the paper trains.

The scores are W Σ_i max(0, T[window i]) / G with the table T = E Kᵀ and G = M(E) M(K) M(W), so the gradients are
three matrix products and, for each constant, the gradient of the entry where its maximum is attained.  On texts of
fifty characters recording all this with autograd takes as long as computing it.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from levcert.kernels.conv_scores import Floats
from levcert.kernels.farthest_pair import farthest_pair
from levcert.models.norms import dual_exponent
from levcert.text.alphabet import EncodedTexts
from levcert.training.conv.constants import leading_pairs
from levcert.training.conv.relu_pooling import ReluPooling


def shallow_scores(
    E: Tensor, K: Tensor, W: Tensor, p: float, basis: Tensor, texts: EncodedTexts, threads: int = 1
) -> Tensor:
    """Return the scores of a batch; ``basis`` is that of :func:`levcert.training.conv.constants.leading_pairs`."""
    return _ShallowScores.apply(E, K, W, p, basis, texts, threads)  # type: ignore[no-any-return, no-untyped-call]


class _ShallowScores(torch.autograd.Function):
    @staticmethod
    @np.errstate(all="ignore")  # weights that exploded make the loss NaN, and the loop says so
    def forward(
        ctx: Any, E: Tensor, K: Tensor, W: Tensor, p: float, basis: Tensor, texts: EncodedTexts, threads: int
    ) -> Tensor:
        taps, filters, size = K.shape
        table = E.new_zeros(len(E) + 1, taps * filters)  # row 0 is the padding
        torch.mm(E, K.view(-1, size).T, out=table[1:])
        ctx.pooling = ReluPooling(table.view(-1, taps, filters).numpy(), texts, threads)
        ctx.constants = (
            _embedding_constant(E.numpy(), p),
            _kernel_constant(K.numpy(), p, basis.numpy()),
            _head_constant(W.numpy(), p),
        )
        ctx.G = math.prod(constant.value for constant in ctx.constants)
        features = torch.from_numpy(ctx.pooling.features)
        scores: Tensor = features @ W.T / ctx.G
        ctx.save_for_backward(E, K, W, features, scores)
        return scores

    @staticmethod
    @np.errstate(all="ignore")
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, ...]:
        E, K, W, features, scores = ctx.saved_tensors
        by_products = gradients[0] / ctx.G
        by_table = torch.from_numpy(ctx.pooling.backward((by_products @ W).numpy())[1:]).view(len(E), -1)
        by_weights = by_table @ K.view(-1, K.shape[2]), (by_table.T @ E).view(K.shape), by_products.T @ features
        # scores ∝ 1/G, and G is proportional to each constant
        by_logarithm = -float((gradients[0] * scores).sum())
        for weight, constant in zip(by_weights, ctx.constants, strict=True):
            weight.numpy()[constant.places] += by_logarithm / constant.value * constant.slopes
        return *by_weights, None, None, None, None


class _Constant(NamedTuple):
    """A constant of a weight and its gradient: ``slopes`` at ``places``, zero elsewhere."""

    value: float
    places: Any
    slopes: Floats


def _embedding_constant(E: Floats, p: float) -> _Constant:
    """M(E): the largest distance of two embeddings, zero being one of them."""
    columns = np.zeros((E.shape[1], len(E) + 1), dtype=E.dtype)
    columns[:, 1:] = E.T
    first, second = farthest_pair(columns, p)  # the first may be zero, the second is not unless all are
    value, slope = _norm(columns[:, first] - columns[:, second], p)
    if first == 0:
        return _Constant(value, [second - 1], -slope[None])
    return _Constant(value, [first - 1, second - 1], np.stack([slope, -slope]))


def _head_constant(W: Floats, p: float) -> _Constant:
    """M(W) = max_{y,ŷ} ‖w_y − w_ŷ‖_r."""
    first, second = farthest_pair(np.ascontiguousarray(W.T), dual_exponent(p))
    value, slope = _norm(W[first] - W[second], dual_exponent(p))
    return _Constant(value, [first, second], np.stack([slope, -slope]))


def _kernel_constant(K: Floats, p: float, basis: Floats) -> _Constant:
    """M(K) = Σ_j ‖K_j‖_p."""
    if p == 2:
        left, right = leading_pairs(K, basis)
        slopes = left[:, :, None] * right[:, None, :]
        return _Constant(float((slopes * K).sum()) or math.nan, slice(None), slopes)
    sums = np.abs(K).sum(axis=1 if p == 1 else 2)  # columns for p = 1, rows for p = ∞
    taps, largest = np.arange(len(K)), sums.argmax(axis=1)
    places: Any = (taps, slice(None), largest) if p == 1 else (taps, largest)
    return _Constant(float(sums[taps, largest].sum()) or math.nan, places, np.sign(K[places]))


def _norm(vector: Floats, p: float) -> tuple[float, Floats]:
    """Return ‖vector‖_p and its gradient; NaN for zero, by which nothing can be divided: the loss then says so."""
    if p == 1:
        return float(np.abs(vector).sum()) or math.nan, np.sign(vector)
    if p == 2:
        value = math.sqrt(float(vector @ vector)) or math.nan
        return value, vector / value
    place = int(np.abs(vector).argmax())
    slope = np.zeros_like(vector)
    slope[place] = np.sign(vector[place])
    return float(abs(vector[place])) or math.nan, slope
