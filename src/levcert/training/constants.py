"""The paper's constants as differentiable functions: the torch twins of levcert.models.norms.

A maximum has the gradient of the entry where it is attained, so the largest entry is looked up without
gradients, and only that entry is computed with them.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from levcert.models.norms import dual_exponent

Floats = npt.NDArray[np.floating[Any]]

_GROWTH = 1e-4  # of a norm in half a round of power iteration: less, and it has converged
_MOST_ROUNDS = 100


def embedding_constant(E: Tensor, p: float) -> Tensor:
    """M(E) = max{ max_a ‖e_a‖_p, max_{a,b} ‖e_a − e_b‖_p }."""
    rows = torch.cat([E.new_zeros(1, E.shape[1]), E])
    return _largest_distance(rows, p)


def head_constant(W: Tensor, p: float) -> Tensor:
    """M(W) = max_{y,ŷ} ‖w_y − w_ŷ‖_r."""
    return _largest_distance(W, dual_exponent(p))


def _largest_distance(rows: Tensor, p: float) -> Tensor:
    with torch.no_grad():
        distances = torch.cdist(rows, rows, p)
        first, second = divmod(int(distances.argmax()), len(rows))
    distance: Tensor = torch.linalg.vector_norm(rows[first] - rows[second], p)
    return distance


def kernel_constant(K: Tensor, p: float, vectors: Tensor) -> Tensor:
    """M(K) = Σ_j ‖K_j‖_p; for p = 2 with the ``vectors`` of :func:`right_vectors`.  Folding uses exact norms."""
    if p == 1:
        return K.abs().sum(dim=1).amax(dim=1).sum()
    if p == math.inf:
        return K.abs().sum(dim=2).amax(dim=1).sum()
    left = vectors.cpu().numpy()
    right = torch.from_numpy(right_vectors(K.detach().cpu().numpy(), left)).to(K)
    vectors.copy_(torch.from_numpy(left))
    return ((vectors.unsqueeze(1) @ K).squeeze(1) * right).sum()


def right_vectors(K: Floats, left: Floats) -> Floats:
    """Return the leading right singular vector of each tap, and improve the ``left`` ones in place, by power iteration.

    σ = uᵀKv grows from half round to half round.  Weights move little from step to step, and then one round is
    enough; in the first steps they jump, and one round would miss a third of a norm.
    """
    tiny = np.finfo(K.dtype).tiny
    for _ in range(_MOST_ROUNDS):
        right: Floats = np.matmul(left[:, None], K)[:, 0]
        before = np.linalg.norm(right, axis=1, keepdims=True)
        right /= np.maximum(before, tiny)
        product = np.matmul(K, right[:, :, None])[:, :, 0]
        after = np.linalg.norm(product, axis=1, keepdims=True)
        np.divide(product, np.maximum(after, tiny), out=left)
        if not ((after - before) > _GROWTH * after).any():  # NaN ends it, too
            break
    return right


def leading_vectors(K: Tensor) -> Tensor:
    """Return the left singular vector with the largest singular value of each tap."""
    U: Tensor = torch.linalg.svd(K, full_matrices=False).U
    return U[:, :, 0].clone()


def substitution_constant(table: Tensor, W: Tensor, candidates: Tensor) -> Tensor:
    """S = max over class pairs and symbols a, b of Σ_{j,h} max(0, (w_y − w_ŷ)_h · (T[a,j,h] − T[b,j,h])).

    The most that one substitution can take from a margin, whatever the text (page "soundness").  ``candidates``
    are rows (y, ŷ, a, b) among which the largest is taken; :func:`worst_substitutions` finds them.
    """
    y, other, a, b = candidates.T
    head = W[y] - W[other]
    changes = (table[a] - table[b]) * head[:, None]
    return changes.clamp(min=0).sum(dim=(1, 2)).amax()


@torch.no_grad()
def worst_substitutions(table: Tensor, W: Tensor, count: int) -> Tensor:
    """Return the ``count`` costliest (y, ŷ, a, b); table rows are symbols without padding."""
    classes, symbols = len(W), len(table)
    best: list[tuple[float, int, int, int, int]] = []
    for y in range(classes):
        for other in range(y):  # swapping both pairs, (y, ŷ) and (a, b), changes no cost
            scaled = (table * (W[y] - W[other])).reshape(symbols, -1)
            # Σ max(0, x_a − x_b) = (‖x_a − x_b‖₁ + Σ x_a − Σ x_b) / 2
            sums = scaled.sum(dim=1)
            costs = (torch.cdist(scaled, scaled, 1) + sums[:, None] - sums[None, :]) / 2
            values, places = costs.flatten().topk(min(count, costs.numel()))
            best += [
                (float(v), y, other, int(i) // symbols, int(i) % symbols) for v, i in zip(values, places, strict=True)
            ]
    best.sort(reverse=True)
    return torch.tensor([row[1:] for row in best[:count]])
