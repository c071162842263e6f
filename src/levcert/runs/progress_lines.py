"""Progress for machines: one JSON object per line on stderr, once a second and at the end."""

from __future__ import annotations

import json
import sys
import time
from types import TracebackType
from typing import Self, TextIO

_SECONDS_BETWEEN = 1.0


class ProgressLines:
    """Prints rows done, total (if known or estimated), rows per second, seconds so far, and seconds left."""

    def __init__(self, what: str, file: TextIO | None = None) -> None:
        self._what, self._file = what, file or sys.stderr
        self._started = self._printed = time.monotonic()
        self._first: int | None = None  # rows that were there when the run began
        self._last: tuple[int, int | None] = (0, None)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._print(ended=kind is None)

    def update(self, finished: int, total: int | None = None) -> None:
        """Print how far the run is, unless that was printed a moment ago."""
        if self._first is None:
            self._first = finished
        self._last = finished, total
        if time.monotonic() - self._printed >= _SECONDS_BETWEEN:
            self._print(ended=False)

    def _print(self, *, ended: bool) -> None:
        now = time.monotonic()
        self._printed = now
        finished, total = self._last
        seconds = now - self._started
        rate = (finished - (self._first or 0)) / seconds if seconds else 0.0
        left = None if total is None or not rate else (total - finished) / rate
        fact = {
            "what": self._what, "rows": finished, "total": total, "rows_per_second": round(rate, 1),
            "seconds": round(seconds, 1), "seconds_left": None if left is None else round(left, 1), "ended": ended,
        }  # fmt: skip
        print(json.dumps(fact), file=self._file, flush=True)
