"""The cost of one edit as a differentiable function of the weights: what the repaired network is divided by.

A maximum has the gradient of the entry where it is attained.  The kernels find for each pair of classes the worst
edit of all, exactly and in every step, and only its own terms are differentiated.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from levcert.kernels.worst_edits import worst_edits
from levcert.kernels.worst_edits_gradient import worst_edits_backward
from levcert.models.activations import Activation


def edit_constants(table: Tensor, deeper: list[Tensor], W: Tensor, activation: Activation) -> Tensor:
    """Return G(y, ŷ) = max(S, I, X) for all pairs of classes, 1 on the diagonal.

    The most that one edit of any text can take from a margin: the theorems "Taps" and "Chains of symbols".  The matrix
    is symmetric, because an insertion with the classes exchanged is a deletion.
    """
    plus, minus = unit_worths(deeper, W, activation)
    flat: Tensor = _EditConstants.apply(table, plus, minus, activation.name == "relu")  # type: ignore[no-untyped-call]
    return _matrix(flat, len(W))


def unit_worths(deeper: list[Tensor], W: Tensor, activation: Activation) -> tuple[Tensor, Tensor]:
    """Bound what a margin loses per unit by which a first-layer unit goes down (plus) and up (minus).

    Both are pairs × taps × filters, for the pairs ŷ < y row by row.  From the top: w⁺ and w⁻; and through a kernel,
    plus' = K⁺ᵀ plus + K⁻ᵀ minus and minus' = K⁺ᵀ minus + K⁻ᵀ plus, tap by tap, because σ is increasing with slope at
    most 1.  Otherwise signs are lost: both become their sum, times the slope.
    """
    y, other = torch.tril_indices(len(W), len(W), -1)
    difference = (W[y] - W[other])[:, None]
    plus, minus = difference.clamp(min=0), (-difference).clamp(min=0)
    for K in [*reversed(deeper), None]:
        if not activation.increasing:
            plus = minus = plus + minus
        plus, minus = plus * activation.lipschitz, minus * activation.lipschitz
        if K is not None:
            up, down = K.clamp(min=0), (-K).clamp(min=0)
            plus, minus = _through(plus, up) + _through(minus, down), _through(minus, up) + _through(plus, down)
    return plus, minus


def _through(worths: Tensor, K: Tensor) -> Tensor:
    """Σ_{s+j=t} Σ_o worths[p, s, o]·K[j, o, i]."""
    (pairs, above, _), (taps, _, inputs) = worths.shape, K.shape
    total = worths.new_zeros(pairs, above + taps - 1, inputs)
    for j in range(taps):
        total = total + functional.pad(worths @ K[j], (0, 0, j, taps - 1 - j))
    return total


def _matrix(flat: Tensor, classes: int) -> Tensor:
    """Put the constants of the pairs ŷ < y, row by row, into a symmetric matrix with ones on the diagonal."""
    y, other = torch.tril_indices(classes, classes, -1)
    matrix = torch.ones(classes, classes, dtype=flat.dtype, device=flat.device)
    return matrix.index_put((y, other), flat).index_put((other, y), flat)


class _EditConstants(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, table: Tensor, plus: Tensor, minus: Tensor, relu: bool) -> Tensor:
        tensors = (table, plus, minus)
        known = [np.ascontiguousarray(tensor.detach().cpu().numpy()) for tensor in tensors]
        pairs, width = len(plus), table.shape[1] + plus.shape[1] - 1
        largest = np.empty(pairs, dtype=known[0].dtype)
        kinds = np.empty(pairs, dtype=np.int64)
        places = np.zeros((pairs, width + 1), dtype=np.int64)
        worst_edits(known[0], known[1], known[2], relu, largest, kinds, places)
        ctx.known = known, relu, kinds, places
        return torch.from_numpy(largest).to(table)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, ...]:
        gradient = gradients[0]
        (table, plus, minus), relu, kinds, places = ctx.known
        shares = np.zeros_like(table), np.zeros_like(plus), np.zeros_like(minus)
        worst_edits_backward(
            table, plus, minus, relu, kinds, places, gradient.cpu().numpy(), shares[0], shares[1], shares[2]
        )
        return *(torch.from_numpy(share).to(gradient) for share in shares), None
