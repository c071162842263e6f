"""What one edit can take from a margin, for any text: the tap bounds (docs/soundness.md).

Let φ be the margin part of a window sum for a pair of classes, and let d_j(a, b) ≥ 0 bound what is lost when tap
j goes from symbol a to symbol b, for any symbols at the other taps: φ(u) − φ(v) ≤ Σ_j d_j(u_j, v_j).  Then one edit
loses at most

* substitution of a by b:  Σ_j d_j(a, b)
* insertion:               min_u Σ_j |j − u|·D_j + Σ_j max_b d_j(0, b)
* deletion:                min_u Σ_j |j − u|·D_j + Σ_j max_a d_j(a, 0)

with D_j the largest d_j of all, and 0 the padding (Theorem "Taps").  For one layer the insertion and the deletion have
a smaller bound, the longest path through the symbols of a window (Theorem "Chains of symbols").
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]
UNDERFLOW: Final = 2.0**-1074  # a product may be off by half of this, however small it is


@dataclass(frozen=True)
class TapCosts:
    """Sums and maxima of d_j(a, b) for all ordered pairs of classes (y, ŷ); symbols are counted from 0."""

    replace: Array  # classes × classes × symbols × symbols: Σ_j d_j(a, b)
    spread: Array  # classes × classes × taps: D_j
    appear: Array  # classes × classes × taps × symbols: d_j(0, b)
    vanish: Array  # classes × classes × taps × symbols: d_j(a, 0)
    insertion: Array | None = None  # classes × classes: the bound by chains of symbols, where it is known

    @cached_property
    def shift(self) -> Array:
        """min_u Σ_j |j − u|·D_j for all pairs: what an insertion or deletion costs by shifting its neighbours."""
        taps = np.arange(self.spread.shape[2])
        distance = np.abs(taps[:, None] - taps[None, :])
        with np.errstate(over="ignore", invalid="ignore"):  # what is not finite proves nothing
            shifts: Array = (self.spread @ distance).min(axis=2)
        return shifts

    def edit_costs(self) -> tuple[Array, Array, Array]:
        """Return what a substitution, an insertion and a deletion can lose for all pairs, for any text."""
        return (
            self.replace.max(axis=(2, 3)),
            np.minimum(self.shift + self.appear.max(axis=3).sum(axis=2), self.chains[0]),
            np.minimum(self.shift + self.vanish.max(axis=3).sum(axis=2), self.chains[1]),
        )

    @cached_property
    def chains(self) -> tuple[Array, Array]:
        """What an insertion and a deletion can lose by the theorem "Chains of symbols"; ∞ where it is not known.

        A deletion is an insertion with the classes exchanged: d_j(a, b) of (ŷ, y) is d_j(b, a) of (y, ŷ).
        """
        insertion = np.full(self.shift.shape, np.inf) if self.insertion is None else self.insertion
        return insertion, insertion.T

    def rounded_up(self, operations: int) -> TapCosts:
        """Return costs that cover the rounding and underflow of ``operations`` operations in computing them.

        The bound by chains is rounded up where it is computed.
        """
        factor, extra = 1 + rounding_factor(operations), operations * UNDERFLOW
        return self.each(lambda costs: costs * factor + extra)

    def each(self, change: Callable[[Array], Array]) -> TapCosts:
        """Return costs that are changed one by one."""
        names = ("replace", "spread", "appear", "vanish")
        return replace(self, **{name: change(getattr(self, name)) for name in names})


@dataclass(frozen=True)
class WindowRange:
    """Bounds of one window's margin for all pairs of classes: lo ≤ φ ≤ hi, the empty window's 0 included."""

    low: Array  # classes × classes
    high: Array

    def edit_costs(self, width: int) -> tuple[Array, Array, Array]:
        """Return what a substitution, an insertion and a deletion can lose: only counted windows matter.

        A substitution changes at most R windows, an insertion destroys R − 1 and makes R, a deletion the reverse.
        """
        spread = self.high - self.low
        return (
            width * spread,
            (width - 1) * spread - np.minimum(self.low, 0),
            (width - 1) * spread + np.maximum(self.high, 0),
        )


def norm_tap_costs(kappa: Array, distances: Array, pairs: Array) -> TapCosts:
    """d_j(a, b) = ‖w‖_r · κ_j · ‖e_a − e_b‖_p: the norm form, for any depth.

    κ are the coefficients of Π_i Σ_j ‖K_j⁽ⁱ⁾‖_p z^j, ``distances`` the pairwise ‖e_a − e_b‖_p with the zero row
    first, ``pairs`` the norms ‖w_y − w_ŷ‖_r.
    """
    per_symbol = kappa[:, None] * distances[0, 1:][None, :]
    return TapCosts(
        replace=np.einsum("yz,ab->yzab", pairs, distances[1:, 1:] * kappa.sum()),
        spread=np.einsum("yz,j->yzj", pairs, kappa * distances.max()),
        appear=np.einsum("yz,jb->yzjb", pairs, per_symbol),
        vanish=np.einsum("yz,jb->yzjb", pairs, per_symbol),
    )


def rounding_factor(operations: int) -> float:
    """γ_n = n·u / (1 − n·u): the relative error of n roundings in float64 (Higham, Accuracy and Stability, 3.1)."""
    share = operations * 2.0**-53
    return share / (1 - share)
