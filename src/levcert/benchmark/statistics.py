"""Published against measured: the difference of two means, and its standard error.

The paper's deviations divide by the number n of seeds, not by n − 1: its 85.33 ± 0.94 on 50 texts can only be 84, 86
and 86.  So d²/(n − 1) is the variance of a published mean, and s²/n that of ours, with s² the sample variance.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import mean, stdev
from typing import Final

PUBLISHED_SEEDS: Final = 3
_ROUNDING: Final = 0.05  # half of the last digit that the coarsest published table gives
_TOO_FAR: Final = 2  # standard errors


@dataclass(frozen=True)
class Comparison:
    """A published value and its deviation (either may be missing), and what each of our seeds gave.

    ``sampling`` is the variance that is added because we measured fewer texts than the paper.
    """

    published: tuple[float, float | None] | None
    measured: list[float]
    sampling: float = 0.0

    @property
    def mean(self) -> float | None:
        return mean(self.measured) if self.measured else None

    @property
    def deviation(self) -> float | None:
        """The sample deviation over seeds."""
        return stdev(self.measured) if len(self.measured) > 1 else None

    @property
    def difference(self) -> float | None:
        """Ours minus published."""
        return None if self.published is None or self.mean is None else self.mean - self.published[0]

    @property
    def standard_error(self) -> float | None:
        """Of the difference; if one side has no deviation, the other side's is used."""
        if self.published is None or not self.measured:
            return None
        theirs = None if self.published[1] is None else self.published[1] ** 2 / (PUBLISHED_SEEDS - 1)
        ours = None if self.deviation is None else self.deviation**2 / len(self.measured)
        if theirs is None and ours is None:
            return None
        if theirs is None and ours is not None:
            theirs = ours * len(self.measured) / PUBLISHED_SEEDS
        if ours is None and theirs is not None:
            ours = theirs * PUBLISHED_SEEDS / len(self.measured)
        assert theirs is not None
        assert ours is not None
        return math.sqrt(theirs + ours + self.sampling)

    @property
    def differs(self) -> bool:
        """Whether the difference exceeds two standard errors by more than rounding."""
        error, difference = self.standard_error, self.difference
        return error is not None and difference is not None and abs(difference) > _TOO_FAR * error + _ROUNDING


def sampling_variance(percent: float, ours: float, theirs: float) -> float:
    """Variance of a percentage over ``ours`` texts that are some of the paper's ``theirs``: p(1 − p)(1/n − 1/N)."""
    share = percent / 100
    return 100**2 * share * (1 - share) * max(0.0, 1 / ours - 1 / theirs)
