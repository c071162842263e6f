"""The paper's constants as differentiable functions: the torch twins of levcert.models.norms.

A maximum has the gradient of the entry where it is attained, so the largest entry is looked up without
gradients, and only that entry is computed with them.
"""

from __future__ import annotations

import math

import numpy as np
import torch
from torch import Tensor

from levcert.kernels.conv_scores import Floats
from levcert.models.norms import dual_exponent

_WIDTH = 12  # singular vectors that are followed
_JUMP = 0.01  # of a norm between two rounds: the weights have moved too far for one
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


def kernel_constant(K: Tensor, p: float, basis: Tensor) -> Tensor:
    """M(K) = Σ_j ‖K_j‖_p; for p = 2 with the ``basis`` of :func:`leading_pairs`.  Folding uses exact norms."""
    if p == 1:
        return K.abs().sum(dim=1).amax(dim=1).sum()
    if p == math.inf:
        return K.abs().sum(dim=2).amax(dim=1).sum()
    memory = basis.cpu().numpy()
    left, right = (torch.from_numpy(x).to(K) for x in leading_pairs(K.detach().cpu().numpy(), memory))
    basis.copy_(torch.from_numpy(memory))
    return ((left.unsqueeze(1) @ K).squeeze(1) * right).sum()


def leading_pairs(K: Floats, basis: Floats) -> tuple[Floats, Floats]:
    """Return the leading left and right singular vectors of each tap, by subspace iteration with Rayleigh–Ritz.

    ``basis`` (taps × filters × _WIDTH) spans the leading left vectors of the step before and is improved in place.
    Training with norms makes the largest singular values nearly equal, and a single vector then lags behind: one
    round of power iteration misses 3 % of the norm on SST-2, twelve vectors miss 0.01 %.  Where weights jump, as in
    the first steps, rounds are repeated.
    """
    if not np.isfinite(K).all():  # LAPACK would raise; the loss is NaN and will say so
        return np.full(K.shape[:2], np.nan, K.dtype), np.full((len(K), K.shape[2]), np.nan, K.dtype)
    tiny = np.finfo(K.dtype).tiny
    for _ in range(_MOST_ROUNDS):
        images = np.matmul(K.transpose(0, 2, 1), basis)
        before = np.linalg.norm(images[:, :, -1], axis=1) / np.maximum(np.linalg.norm(basis[:, :, -1], axis=1), tiny)
        rights = np.linalg.qr(images)[0]
        lefts = np.matmul(K, rights)
        squares, turn = np.linalg.eigh(np.matmul(lefts.transpose(0, 2, 1), lefts))  # ascending: the last one leads
        after = np.sqrt(np.maximum(squares[:, -1], tiny))
        np.divide(np.matmul(lefts, turn), after[:, None, None], out=basis)
        if not (after - before > _JUMP * after).any():
            break
    right: Floats = np.matmul(rights, turn[:, :, -1:])[:, :, 0]
    return basis[:, :, -1].copy(), right


def leading_basis(K: Tensor) -> Tensor:
    """Return the left singular vectors with the largest singular values of each tap, the largest last."""
    U: Tensor = torch.linalg.svd(K, full_matrices=False).U
    return U[:, :, :_WIDTH].flip(2).contiguous()


def substitution_constant(table: Tensor, W: Tensor, candidates: Tensor) -> Tensor:
    """S = max over class pairs and symbols a, b of Σ_{j,h} max(0, (w_y − w_ŷ)_h · (T[a,j,h] − T[b,j,h])).

    The most that one substitution can take from a margin, for any text (docs/soundness.md).  ``candidates``
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
