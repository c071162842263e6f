"""A share of texts, and how sure one can be of it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Share:
    """A share of texts, with a two-sided Clopper–Pearson interval.

    Examples:
        >>> print(levcert.Share(45, 50))
        90.0% [78.2%, 96.7%]
    """

    hits: int
    total: int
    confidence: float = 0.95

    @property
    def value(self) -> float:
        return self.hits / self.total if self.total else float("nan")

    @property
    def interval(self) -> tuple[float, float]:
        """Return bounds that contain the true share, for any value of it, with at least the given confidence.

        The quantiles of the beta distribution that ``scipy.stats.binomtest`` gives, without its slow import.
        """
        from scipy.special import betaincinv

        if not self.total:
            return 0.0, 1.0
        tail = (1 - self.confidence) / 2
        low = betaincinv(self.hits, self.total - self.hits + 1, tail) if self.hits else 0.0
        high = betaincinv(self.hits + 1, self.total - self.hits, 1 - tail) if self.hits < self.total else 1.0
        return float(low), float(high)

    def __str__(self) -> str:
        low, high = self.interval
        return f"{self.value:.1%} [{low:.1%}, {high:.1%}]"

    def to_dict(self) -> dict[str, float | None]:
        """Return the share and its interval as JSON can hold them."""
        low, high = self.interval
        return {
            "hits": self.hits, "total": self.total, "value": self.value if self.total else None,
            "low": low, "high": high, "confidence": self.confidence,
        }  # fmt: skip
