"""The two distances of the paper: Levenshtein between texts, ERP between sequences of vectors."""

from collections.abc import Hashable, Sequence

import numpy as np
import numpy.typing as npt
from rapidfuzz.distance import Levenshtein

from levcert.errors import InputError

Vectors = npt.NDArray[np.float64]


def levenshtein(a: Sequence[Hashable], b: Sequence[Hashable], *, cutoff: int | None = None) -> int:
    """Return the least number of insertions, deletions and substitutions that turn ``a`` into ``b``.

    Over code points for ``str``, over bytes for ``bytes``, over the items of any other sequence.  With a
    ``cutoff`` the work is less, and every distance above it is returned as ``cutoff + 1``.

    Examples:
        >>> levcert.levenshtein("kitten", "sitting")
        3
    """
    if isinstance(a, str) != isinstance(b, str):
        raise InputError(f"Cannot compare {type(a).__name__} with {type(b).__name__}; encode or decode one of them.")
    if cutoff is not None and cutoff < 0:
        raise InputError(f"cutoff must be at least 0, not {cutoff}.")
    return int(Levenshtein.distance(a, b, score_cutoff=cutoff))


def erp(A: npt.ArrayLike, B: npt.ArrayLike, *, p: float = 2.0) -> float:
    """Return the edit distance with real penalty (ERP) between two sequences of vectors.

    Definition 3.1 of the paper (Chen & Ng 2004), for any p ≥ 1 including infinity::

        d(A, ∅) = Σ_i ‖a_i‖_p
        d(A, B) = min{ ‖a_1‖_p + d(A_2:, B),  ‖b_1‖_p + d(A, B_2:),  ‖a_1 − b_1‖_p + d(A_2:, B_2:) }

    An insertion or deletion costs the norm of the vector, as if it were matched with zero.  On one-hot
    vectors with p = ∞ it is the Levenshtein distance (Lemma on the properties of ERP, part a).
    Time O(m·n·d), memory O((m + n)·d).

    Examples:
        >>> levcert.erp([[1.0], [2.0]], [[1.0]], p=1)
        2.0
    """
    if not p >= 1:
        raise InputError(f"ERP needs p ≥ 1, not p = {p}.")
    a, b = _sequence(A, "first"), _sequence(B, "second")
    if len(a) and len(b) and a.shape[1] != b.shape[1]:
        raise InputError(f"ERP needs vectors of equal dimension; these have {a.shape[1]} and {b.shape[1]}.")
    dimension = max(1, a.shape[1], b.shape[1])
    return _erp(a.reshape(-1, dimension), b.reshape(-1, dimension), float(p))


def _erp(a: Vectors, b: Vectors, p: float) -> float:
    """Carry ``row[j]``, the distance between a[:i] and b[:j], from one i to the next.

    Insertions chain along a row: row[j] = min_{l ≤ j} (start[l] + G[j] − G[l]), a running minimum, with G the sums of
    the costs of b.  Everything is scaled by a power of two first, so that no square overflows.
    """
    from scipy.spatial.distance import cdist

    exponent = int(np.frexp(np.abs(np.concatenate([a.ravel(), b.ravel(), [0.0]])).max())[1])
    a, b = np.ldexp(a, -exponent), np.ldexp(b, -exponent)
    padded = np.vstack([np.zeros(a.shape[1]), b])
    inserted = np.cumsum(cdist(padded[:1], padded, "minkowski", p=p)[0])
    row = inserted
    for vector in a:
        costs = cdist(vector[None], padded, "minkowski", p=p)[0]  # of deleting it, and of matching it with each of b
        start = row + costs[0]
        np.minimum(start[1:], row[:-1] + costs[1:], out=start[1:])
        row = np.minimum(start, np.minimum.accumulate(start - inserted) + inserted)
    return float(np.ldexp(row[-1], exponent))


def _sequence(values: npt.ArrayLike, which: str) -> Vectors:
    array = np.ascontiguousarray(values, dtype=np.float64)
    if array.size == 0:
        return array.reshape(0, array.shape[1] if array.ndim == 2 else 0)
    if array.ndim != 2:
        raise InputError(f"The {which} sequence has {array.ndim} dimensions; ERP needs an array of length × dimension.")
    if not np.isfinite(array).all():
        raise InputError(f"The {which} sequence contains NaN or infinity; ERP needs finite vectors.")
    return array
