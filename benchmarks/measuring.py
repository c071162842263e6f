"""A figure is our time next to the times of other methods in the same run; a curve shows how a time grows."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Figure:
    """Seconds of ours for one ``unit`` (a text, a step), those of others, and the least that the memory allows."""

    name: str
    seconds: float
    unit: str = "text"
    others: dict[str, float] = field(default_factory=dict)
    limit: float | None = None  # seconds for the bytes that must be touched, at the measured speed of the memory
    limit_of: str = ""  # which bytes those are

    def to_dict(self) -> dict[str, Any]:
        return {"kind": "figure", **asdict(self)}


@dataclass(frozen=True)
class Curve:
    """Seconds by a size; ``exponent`` is the slope between the last two points on logarithmic axes."""

    name: str
    x: str
    points: dict[float, float]

    @property
    def exponent(self) -> float:
        (x0, y0), (x1, y1) = list(self.points.items())[-2:]
        return float(np.log(y1 / y0) / np.log(x1 / x0))

    def to_dict(self) -> dict[str, Any]:
        return {"kind": "curve", **asdict(self), "exponent": self.exponent}


Measured = Figure | Curve


def seconds(function: Callable[[], object], repeat: int = 5, count: int = 1) -> float:
    """Return the best of some runs after one to warm up, for one of ``count`` equal parts.

    The machine is shared, and the best run is the least disturbed.
    """
    function()
    return timed_in_turns([function], repeat)[0] / count


def timed_in_turns(functions: Sequence[Callable[[], object]], repeat: int) -> list[float]:
    """Return the best time of each function; they take turns, so that other work slows all of them alike."""
    best = [float("inf")] * len(functions)
    for _ in range(repeat):
        for number, function in enumerate(functions):
            started = time.perf_counter()
            function()
            best[number] = min(best[number], time.perf_counter() - started)
    return best


def memory_speed(size: int) -> float:
    """Return the bytes per second that this core reads from an array of ``size`` bytes: that of the cache it fits."""
    array = np.ones(size // 8)
    repeat = max(1, (1 << 26) // size)
    return size * repeat / seconds(lambda: [array @ array for _ in range(repeat)])  # the quickest reader numpy has
