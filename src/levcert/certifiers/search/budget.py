"""How much a search may do: counted in expansions, so that every machine gives the same answer; seconds on top.

Kernels run for longer than a caller may want to wait, and cannot look at the clock.  They look at a flag, ``stop``,
which a timer sets when the seconds are over; what they then return is not used.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Final

import numpy as np
import numpy.typing as npt

MOST_STEPS: Final = 1 << 29  # along near edits, some 3 ns each, where expansions are limited
_LONGEST_WAIT: Final = 1e6  # seconds: a thread cannot wait for much longer


class OutOfBudgetError(Exception):
    """The search has reached a limit, which the message names; everything proved before stays proved."""


@dataclass
class Budget:
    """Expansions left (None: any number), and seconds from now on (None: any number)."""

    expansions: int | None = None
    seconds: float | None = None
    left: npt.NDArray[np.int64] = field(init=False)  # one number, which kernels count down themselves
    stop: npt.NDArray[np.uint8] = field(init=False)  # one flag, which kernels look at

    def __post_init__(self) -> None:
        self.left = np.array([np.iinfo(np.int64).max if self.expansions is None else self.expansions], dtype=np.int64)
        self.stop = np.zeros(1, dtype=np.uint8)
        self._start = int(self.left[0])
        self._steps = 0
        self.deadline = None if self.seconds is None else time.perf_counter() + self.seconds

    @contextmanager
    def timer(self) -> Iterator[None]:
        """Raise the flag when the seconds are over, as long as this context is open."""
        if self.deadline is None:
            yield
            return
        left = min(max(0.0, self.deadline - time.perf_counter()), _LONGEST_WAIT)
        timer = threading.Timer(left, self._raise_flag)
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()

    def _raise_flag(self) -> None:
        self.stop[0] = 1

    def spend(self, expansions: int) -> None:
        """Take some expansions; raise OutOfBudgetError if too few are left, or no time."""
        self.left[0] -= expansions
        self.check()

    def walk(self, steps: int) -> None:
        """Take this many steps along near edits; raise OutOfBudgetError if they are too many.

        Where every edit is alike (one letter, a thousand times), walking takes far longer than the expansions.
        """
        self._steps += steps
        if self.expansions is not None and self._steps > MOST_STEPS:
            raise OutOfBudgetError(f"the search has used its {MOST_STEPS:,} steps along near edits")
        self.check()

    def check(self) -> None:
        """Raise OutOfBudgetError if expansions or seconds are used up."""
        if self.left[0] < 0:
            raise OutOfBudgetError(f"the search has used its {self.expansions or 0:,} expansions")
        if self.late:
            raise OutOfBudgetError(f"the {self.seconds or 0:g} s for this text are over")

    @property
    def late(self) -> bool:
        """Whether the seconds are over."""
        return bool(self.stop[0]) or (self.deadline is not None and time.perf_counter() > self.deadline)

    @property
    def used(self) -> int:
        """Expansions so far."""
        return self._start - int(self.left[0])
