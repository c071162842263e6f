"""Tables as data: what the paper printed, what we measured, and the difference, before any format is chosen."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from levcert.benchmark.rows import Row, row_of
from levcert.benchmark.statistics import Comparison, sampling_variance
from levcert.benchmark.study import Cell, Published, Study, label, matches

MARK: Final = "★"


@dataclass(frozen=True)
class Table:
    """Heads, lines of as many texts, and notes below."""

    name: str
    title: str
    heads: list[str]
    lines: list[list[str]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class _Group:
    """The cells of one line of a table: they differ in the seed only."""

    cells: list[Cell]
    rows: list[Row]
    published: Published | None

    def compare(self, column: dict[str, Any]) -> Comparison:
        value = column.get("measured", column["value"])
        measured = [row.values[value] for row in self.rows if value in row.values]
        published = self.published.values.get(column["value"]) if self.published else None
        texts, every = self.texts(value), self.rows[0].texts["count"] if self.rows else 0
        few = texts is not None and texts < every and bool(measured) and "k=" in value
        sampling = sampling_variance(sum(measured) / len(measured), texts or 1, every) if few else 0.0
        return Comparison(published, measured, sampling)

    def texts(self, value: str) -> float | None:
        """Return how many texts a value was measured on, if not on all."""
        measure = value.partition(" k=")[0].removesuffix(" not refuted").removesuffix(" seconds")
        return self.rows[0].values.get(f"{measure} texts") if self.rows else None


def make_table(study: Study, spec: dict[str, Any], rows: Sequence[Row]) -> Table:
    """Fill a declared table.

    Full: three lines for each setting, the paper's, ours and the difference with its standard error.  ``short``: means
    only, and only of what was measured.  Cells that were not run say so, with the reason if there is one.
    """
    columns, short = spec["columns"], spec.get("short", False)
    table = Table(spec["name"], spec["title"], ["", "", *(column["head"] for column in columns)])
    units = [_UNITS[column.get("unit", spec["unit"])] for column in columns]
    not_run: dict[str, list[str]] = {}
    fewer: dict[str, list[str]] = {}
    for name, group in _groups(study, spec, rows).items():
        compared = [group.compare(column) for column in columns]
        theirs = not spec.get("measured_only") and any(comparison.published for comparison in compared)
        if not group.rows and (short or not theirs):
            not_run.setdefault(group.cells[0].not_run or "", []).append(name)
            continue
        if theirs:
            table.lines.append([name, "paper", *(u.published(c, short) for u, c in zip(units, compared, strict=True))])
        if not group.rows:
            reason = group.cells[0].not_run
            table.lines.append(
                ["" if theirs else name, f"not run{f': {reason}' if reason else ''}", *("" for _ in columns)]
            )
            continue
        ours = (
            "ours" if len(group.rows) == len(group.cells) else f"ours ({len(group.rows)} of {len(group.cells)} seeds)"
        )
        table.lines.append(
            ["" if theirs else name, ours, *(u.measured(c, short) for u, c in zip(units, compared, strict=True))]
        )
        if theirs and not short:
            table.lines.append(
                ["", units[0].difference_name, *(u.difference(c) for u, c in zip(units, compared, strict=True))]
            )
        for column in columns:
            count = group.texts(column.get("measured", column["value"]))
            if count is not None and count < group.rows[0].texts["count"]:
                heads = fewer.setdefault(f"{name.split(',')[0]}: on the first {count:g} of these texts", [])
                heads += [column["head"]] if column["head"] not in heads else []
    table.notes.extend(f"{where}: {', '.join(heads)}." for where, heads in fewer.items())
    table.notes.extend(_missing(reason, names) for reason, names in not_run.items())
    return table


def _missing(reason: str, names: list[str]) -> str:
    listed = "; ".join(names) if len(names) <= 6 else f"{len(names)} settings from {names[0]} to {names[-1]}"
    return f"Not run{f' ({reason})' if reason else ''}: {listed}."


def _groups(study: Study, spec: dict[str, Any], rows: Sequence[Row]) -> dict[str, _Group]:
    groups: dict[str, _Group] = {}
    for cell in study.cells:
        if not matches(spec.get("where", {}), cell.settings):
            continue
        axes = [axis for axis in spec["lines"] if axis in cell.settings]
        name = ", ".join(label(axis, cell.settings[axis]) for axis in axes)
        published = next((entry for entry in study.published if matches(entry.where, cell.settings)), None)
        group = groups.setdefault(name, _Group([], [], published))
        group.cells.append(cell)
        row = row_of(cell, rows)
        if row is not None:
            group.rows.append(row)
    return groups


@dataclass(frozen=True)
class _Unit:
    """How values of one kind are written; times are compared by their ratio, all else by the difference."""

    write: Callable[[float], str]
    ratio: bool = False

    @property
    def difference_name(self) -> str:
        return "paper ÷ ours" if self.ratio else "difference (standard error)"

    def published(self, comparison: Comparison, short: bool) -> str:
        if comparison.published is None:
            return ""
        value, deviation = comparison.published
        return self.write(value) + ("" if deviation is None or short else f" ± {self.write(deviation)}")

    def measured(self, comparison: Comparison, short: bool) -> str:
        value, deviation = comparison.mean, comparison.deviation
        if value is None:
            return "" if comparison.published is None else "not run"
        return self.write(value) + ("" if deviation is None or short else f" ± {self.write(deviation)}")

    def difference(self, comparison: Comparison) -> str:
        difference, error = comparison.difference, comparison.standard_error
        if difference is None or comparison.published is None or comparison.mean is None:
            return ""
        if self.ratio:
            return f"{comparison.published[0] / comparison.mean:,.3g}" if comparison.mean else ""
        sign = "+" if difference >= 0 else "−"
        text = f"{sign}{self.write(abs(difference))}" + ("" if error is None else f" ({self.write(error)})")
        return f"{text} {MARK}" if comparison.differs else text


_UNITS: Final = {
    "percent": _Unit(lambda value: f"{value:.2f}"),
    "number": _Unit(lambda value: f"{value:.3g}" if abs(value) < 100 else f"{value:.1f}"),
    "seconds": _Unit(lambda value: f"{value:.2g}", ratio=True),
}
