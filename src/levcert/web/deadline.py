"""The time that a request has left, seen by the thread that works on it."""

from __future__ import annotations

import time
from typing import Final

_SHARE_FOR_SEARCH: Final = 0.5  # which leaves time for the rest of the work


class LateError(Exception):
    """A request has exceeded its time limit."""


class Deadline:
    """A moment, or earlier when nobody waits for the answer any more."""

    def __init__(self, seconds: float) -> None:
        self._at = time.perf_counter() + seconds
        self._given_up = False
        self.sharing = 1.0  # requests for which one thread must find the time

    def left(self) -> float:
        """Return the seconds left; 0 when late."""
        return 0.0 if self._given_up else max(0.0, self._at - time.perf_counter())

    def for_search(self) -> float:
        """Return the seconds that a search may take: half of what is left, and less when others wait."""
        return self.left() * _SHARE_FOR_SEARCH / self.sharing

    def check(self) -> None:
        """Raise LateError if no time is left."""
        if self.left() == 0.0:
            raise LateError

    def give_up(self) -> None:
        """Say that nobody waits for the answer: work should stop at its next check."""
        self._given_up = True
