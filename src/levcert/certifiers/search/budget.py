"""How much a search may do: counted in expansions, so that every machine gives the same answer; seconds on top."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt


class OutOfBudgetError(Exception):
    """The search has done what it may do; what is proved so far stays proved."""


@dataclass
class Budget:
    """Expansions left (None: any number), and the time at which to stop (None: never)."""

    expansions: int | None = None
    deadline: float | None = None
    left: npt.NDArray[np.int64] = field(init=False)  # one number, which kernels count down themselves

    def __post_init__(self) -> None:
        self.left = np.array([np.iinfo(np.int64).max if self.expansions is None else self.expansions], dtype=np.int64)
        self._start = int(self.left[0])

    def spend(self, expansions: int) -> None:
        """Take some expansions; raise OutOfBudgetError if there are not so many, or no time is left."""
        self.left[0] -= expansions
        self.check()

    def check(self) -> None:
        if self.left[0] < 0 or (self.deadline is not None and time.perf_counter() > self.deadline):
            raise OutOfBudgetError

    @property
    def used(self) -> int:
        """Expansions so far."""
        return self._start - int(self.left[0])
