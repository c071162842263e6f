"""The constants of the paper: how much each layer can stretch a distance.

Notation of the paper: E is the embedding (symbols × d, without a padding row), K a kernel (taps × filters ×
inputs), W the head (classes × filters), p the norm of the ERP distance and r its dual, 1/p + 1/r = 1.

All are computed from singular values or plain sums in float64, with no iteration that stops early.  Arrays are scaled
by a power of two before anything is squared or multiplied, so that weights of 1e-200 lose nothing; what is claimed
rests on constants that are rounded up (``unscaled_up``).  They do not hold for insertions and deletions:
see docs/soundness.md.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from levcert.errors import InputError

Array = npt.NDArray[np.float64]
NORMS = (1.0, 2.0, np.inf)


def check_norm(p: float) -> float:
    """Return p as a float; only p = 1, 2 and ∞ have operator norms that can be computed."""
    if p not in NORMS:
        raise InputError(f"The paper's constants are known for p = 1, 2 and inf, not for p = {p}.")
    return float(p)


def dual_exponent(p: float) -> float:
    """Return r with 1/p + 1/r = 1, as Hölder's inequality needs it."""
    return {1.0: np.inf, 2.0: 2.0, np.inf: 1.0}[check_norm(p)]


def embedding_constant(E: Array, p: float) -> float:
    """M(E) = max{ max_a ‖e_a‖_p, max_{a,b} ‖e_a − e_b‖_p }  (Theorem "Lipschitz constant of margins")."""
    return float(symbol_distances(E, p).max())


def local_embedding_constants(E: Array, present: npt.NDArray[np.bool_], p: float) -> Array:
    """M(E, P) of each text P: as M(E), but one side is a symbol of P, or the zero row.

    ``present[n, a − 1]`` says whether text n contains symbol a.  Remark "Local Lipschitz constant of the embedding
    layer"; never larger than M(E).
    """
    farthest = symbol_distances(E, p).max(axis=1)  # of each symbol; first the zero row
    constants: Array = np.where(present, farthest[1:], farthest[0]).max(axis=1, initial=farthest[0])
    return constants


def operator_norm(matrix: Array, p: float) -> float:
    """‖K‖_p = max_x ‖Kx‖_p / ‖x‖_p: largest column sum, largest singular value, largest row sum for p = 1, 2, ∞."""
    (scaled,), exponent = scaled_to_one(matrix)
    return float(np.ldexp(np.linalg.norm(scaled, {1.0: 1, 2.0: 2, np.inf: np.inf}[check_norm(p)]), exponent))


def tap_norms(K: Array, p: float) -> Array:
    """Return ‖K_j‖_p of each tap."""
    return np.array([operator_norm(tap, p) for tap in K])


def kernel_constant(K: Array, p: float) -> float:
    """M(K) = Σ_j ‖K_j‖_p  (Lemma "Convolution")."""
    return float(tap_norms(K, p).sum())


def pair_norms(W: Array, p: float) -> Array:
    """Return ‖w_y − w_ŷ‖_r for all pairs of classes."""
    return _distances(W, W, dual_exponent(p))


def head_constant(W: Array, p: float) -> float:
    """M(W) = max_{y,ŷ} ‖w_y − w_ŷ‖_r  (Equation of the 1-Lipschitz classifier)."""
    return float(pair_norms(W, p).max())


def margin_constants(E: Array, kernels: Sequence[Array], W: Array, p: float) -> Array:
    """G(y, ŷ) = ‖w_y − w_ŷ‖_r · Π_i M(K⁽ⁱ⁾) · M(E)  (Corollary "Certified radius of convolutional models")."""
    (head, *layers, rows), exponent = scaled_to_one(W, *kernels, E)
    product = np.prod([kernel_constant(K, p) for K in layers]) * embedding_constant(rows, p)
    scaled = pair_norms(head, p) * product  # 0 only where two classes are the same
    return np.where(scaled > 0, unscaled_up(scaled, exponent), 0)


def symbol_distances(E: Array, p: float) -> Array:
    """Return ‖e_a − e_b‖_p for all symbols and, first, the zero row of the padding."""
    return _distances(_with_zero(E), _with_zero(E), p)


def _with_zero(E: Array) -> Array:
    return np.vstack([np.zeros((1, E.shape[1])), E])


def _distances(A: Array, B: Array, p: float) -> Array:
    """Return ‖a − b‖_p for all rows, one row of A at a time to keep memory small."""
    return np.array([_norms(B - a, check_norm(p)) for a in A])


def _norms(rows: Array, p: float) -> Array:
    """Return ‖·‖_p of each row, each scaled separately: otherwise squares of small numbers would be 0."""
    exponents = np.frexp(np.abs(rows).max(axis=1, initial=0))[1]
    norms: Array = np.ldexp(np.linalg.norm(np.ldexp(rows, -exponents[:, None]), p, axis=1), exponents)
    return norms


def scaled_to_one(*arrays: Array) -> tuple[list[Array], int]:
    """Return arrays times powers of two, each with its largest entry in [½, 1), and the sum of the exponents."""
    exponents = [int(np.frexp(np.abs(array).max(initial=0))[1]) for array in arrays]
    scaled = [np.ldexp(array, -exponent) for array, exponent in zip(arrays, exponents, strict=True)]
    return scaled, sum(exponents)


def unscaled_up(values: Array, exponent: int) -> Array:
    """Return an upper bound of what :func:`scaled_to_one` made of products of norms, in the scale of the arrays.

    Norms of arrays near 1 are good to a relative error of 2⁻³³, and what underflows among them is below 2⁻¹⁰⁰⁰.
    """
    with np.errstate(over="ignore"):
        upper: Array = np.nextafter(np.ldexp(values * (1 + 2.0**-33) + 2.0**-1000, exponent), np.inf)
    return upper
