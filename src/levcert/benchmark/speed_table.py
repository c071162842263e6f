"""The table of speeds in a page, from the JSON that ``python -m benchmarks --json`` writes."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from levcert.benchmark.tables import Table

FILE = "speeds.json"


def speed_table(results: Path) -> Table:
    """Return every figure with its ratios; ``results`` is the folder of the row files."""
    found = json.loads((results / FILE).read_text(encoding="utf-8"))
    lines = [_line(figure) for figure in found["figures"] if figure["kind"] == "figure"]
    note = (
        f"Measured at commit {found['commit']} on {found['date']} ({found['machine']}), on one core of a shared "
        "machine. Each ratio comes from a single run."
    )
    heads = ["what", "ours", "how many times as long others take", "limit of the memory"]
    return Table("speeds", "Speeds", heads, lines, [note])


def growth_table(results: Path) -> Table:
    """Return how times grow with the size of the problem."""
    found = json.loads((results / FILE).read_text(encoding="utf-8"))
    lines = [
        [
            f"{curve['name']}, by {curve['x']}",
            f"{curve['x']}^{curve['exponent']:.1f}",
            ", ".join(f"{float(x):,g}: {time_of(seconds)}" for x, seconds in curve["points"].items()),
        ]
        for curve in found["figures"]
        if curve["kind"] == "curve"
    ]
    return Table("growth", "Growth", ["what", "grows as", "times"], lines)


def _line(figure: dict[str, Any]) -> list[str]:
    own = figure["seconds"]
    others = "; ".join(f"{name}: {_rounded(seconds / own)}×" for name, seconds in figure["others"].items())
    limit = "" if figure["limit"] is None else f"{time_of(figure['limit'])} ({figure['limit_of']})"
    return [figure["name"], f"{time_of(own)} per {figure['unit']}", others, limit]


def time_of(seconds: float) -> str:
    """Write a time with three digits and the unit that suits it."""
    for factor, unit in ((1, "s"), (1e3, "ms"), (1e6, "µs")):
        if seconds * factor >= 1:
            return f"{seconds * factor:.3g} {unit}"
    return f"{seconds * 1e9:.3g} ns"


def _rounded(ratio: float) -> str:
    """Write a ratio with two digits: more would not come out again on a shared machine."""
    digits = max(0, math.floor(math.log10(ratio)) - 1) if ratio > 0 else 0
    return f"{round(ratio, -digits):,.0f}" if ratio >= 10 else f"{ratio:.1f}"


SPEED_TABLES: Final[dict[str, Callable[[Path], Table]]] = {"speeds": speed_table, "growth": growth_table}
