"""Tables as data: what the paper printed, what we measured, and the difference, before any format is chosen."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from levcert.benchmark.result_rows import Row, row_of
from levcert.benchmark.statistics import Comparison, sampling_variance
from levcert.benchmark.study import Cell, Published, Study, dataset_note, label, matches

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
class Group:
    """The cells of one line of a table: they differ in the seed only."""

    cells: list[Cell]
    rows: list[Row]
    published: Published | None

    def compare(self, column: dict[str, Any]) -> Comparison:
        value = column.get("measured", column["value"])
        measured = [row.values[value] for row in self.rows if value in row.values]
        published = self.published.values.get(column["value"]) if self.published else None
        few, sampling = self.fewer_texts(value), 0.0
        if few is not None and measured and " k=" in value:
            sampling = sampling_variance(sum(measured) / len(measured), few, self.rows[0].texts["count"])
        return Comparison(published, measured, sampling)

    def fewer_texts(self, value: str) -> int | None:
        """Return how many texts a value was measured on, if fewer than the row has."""
        measures = self.rows[0].measures if self.rows else []
        giving = [measure for measure in measures if value.startswith(measure["name"] + " ")]
        if not giving:
            return None
        texts = max(giving, key=lambda measure: len(measure["name"])).get("texts")  # names may begin alike
        return int(texts) if texts is not None and texts < self.rows[0].texts["count"] else None

    @property
    def ours(self) -> str:
        """The name of our line."""
        if not self.rows:
            reason = self.cells[0].not_run
            return "not run" if reason is None else f"not run: {reason}"
        return "ours" if len(self.rows) == len(self.cells) else f"ours ({len(self.rows)} of {len(self.cells)} seeds)"


def make_table(study: Study, spec: dict[str, Any], rows: Sequence[Row]) -> Table:
    """Fill a declared table.

    Full: three lines for each setting, the paper's, ours and the difference with its standard error.  ``short``: means
    only, and only of what was measured.  Cells that were not run say so, with the reason if there is one.
    """
    heads = [column["head"] for column in spec["columns"]]
    table = Table(spec["name"], spec["title"], ["", "", *heads])
    not_run: dict[str, list[str]] = {}
    fewer: dict[str, list[str]] = {}
    datasets: dict[str, int] = {}  # how many rows their models were trained on at most, in the order of the lines
    for name, group in line_groups(study, spec, rows).items():
        lines = _lines(name, group, spec)
        if group.rows or (len(lines) > 1 and not spec.get("short")):
            if any(any(line[2:]) for line in lines):  # otherwise, this grid measures nothing that the table shows
                table.lines.extend(lines)
                for row in group.rows:
                    dataset = row.settings["dataset"]
                    datasets[dataset] = max(datasets.get(dataset, 0), _trained_on(row))
        else:
            not_run.setdefault(group.cells[0].not_run or "", []).append(name)
        for head, column in zip(whole_heads(heads), spec["columns"], strict=True):
            count = group.fewer_texts(column.get("measured", column["value"]))
            noted = fewer.setdefault(f"{name.partition(',')[0]}: on the first {count} of these texts", [])
            if count is not None and head not in noted:
                noted.append(head)
    if not _UNITS[spec["unit"]].ratio:  # times do not depend on how a model was trained
        table.notes.extend(note for note in map(dataset_note, datasets, datasets.values()) if note)
    table.notes.extend(f"{where}: {', '.join(noted)}." for where, noted in fewer.items() if noted)
    shown = {line[0].partition(",")[0] for line in table.lines}
    table.notes.extend(_missing(reason, names, shown) for reason, names in not_run.items())
    return table


def _trained_on(row: Row) -> int:
    """Return how many rows the model was trained on; 0 if the row does not say."""
    return int(row.training.get("data", {}).get("rows", 0))


def _lines(name: str, group: Group, spec: dict[str, Any]) -> list[list[str]]:
    """Write the paper's line if it has one, ours, and the difference if both are there."""
    short = spec.get("short", False)
    columns = [(_UNITS[column.get("unit", spec["unit"])], group.compare(column)) for column in spec["columns"]]
    lines = []
    if not spec.get("measured_only") and any(comparison.published for _, comparison in columns):
        lines.append([name, "paper", *(unit.published(comparison, short) for unit, comparison in columns)])
    first = "" if lines else name
    lines.append([first, group.ours, *(unit.measured(comparison, short) for unit, comparison in columns)])
    if first != name and group.rows and not short:
        lines.append(
            ["", columns[0][0].difference_name, *(unit.difference(comparison) for unit, comparison in columns)]
        )
    return lines


def whole_heads(heads: list[str]) -> list[str]:
    """Give heads such as "k=2" the words of the one to their left: "exact k=1", "k=2" → "exact k=1", "exact k=2"."""
    whole: list[str] = []
    for head in heads:
        words = whole[-1].rpartition("k=")[0] if whole and head.startswith("k=") else ""
        whole.append(words + head)
    return whole


def _missing(reason: str, names: list[str], shown: set[str]) -> str:
    """Write which settings have no line; where nothing that begins like them is shown, the beginning says it all."""
    beginnings = {name: name.partition(",")[0] for name in names}
    names = list(dict.fromkeys(name if begins in shown else begins for name, begins in beginnings.items()))
    listed = "; ".join(names) if len(names) <= 6 else f"{len(names)} settings from {names[0]} to {names[-1]}"
    return f"Not run{f' ({reason})' if reason else ''}: {listed}."


def line_groups(study: Study, spec: dict[str, Any], rows: Sequence[Row]) -> dict[str, Group]:
    """Gather cells by the names of their lines; lines that begin alike stand together, across grids."""
    groups: dict[tuple[str, ...], Group] = {}
    declared: dict[tuple[str, ...], int] = {}  # when a beginning of a name came first
    for cell in study.cells:
        if not matches(spec.get("where", {}), cell.settings):
            continue
        words = [label(axis, cell.settings[axis]) for axis in spec["lines"] if axis in cell.settings]
        name = (*words, cell.called) if cell.called else tuple(words)
        for beginning in _beginnings(name):
            declared.setdefault(beginning, len(declared))
        published = next((entry for entry in study.published if matches(entry.where, cell.settings)), None)
        group = groups.setdefault(name, Group([], [], published))
        group.cells.append(cell)
        row = row_of(cell, rows)
        if row is not None:
            group.rows.append(row)
    in_order = sorted(groups, key=lambda name: [declared[beginning] for beginning in _beginnings(name)])
    return {", ".join(name): groups[name] for name in in_order}


def _beginnings(name: tuple[str, ...]) -> list[tuple[str, ...]]:
    return [name[:length] for length in range(1, len(name) + 1)]


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
            return ""
        return self.write(value) + ("" if deviation is None or short else f" ± {self.write(deviation)}")

    def difference(self, comparison: Comparison) -> str:
        difference, error = comparison.difference, comparison.standard_error
        if difference is None or comparison.published is None or comparison.mean is None:
            return ""
        if self.ratio:
            return _digits(comparison.published[0] / comparison.mean, 2) if comparison.mean else ""
        sign = "+" if difference >= 0 else "−"
        text = f"{sign}{self.write(abs(difference))}" + ("" if error is None else f" ({self.write(error)})")
        return f"{text} {MARK}" if comparison.differs else text


def _digits(value: float, count: int) -> str:
    """Write ``count`` significant digits, all digits before the point, and no exponent."""
    decimals = max(0, count - 1 - math.floor(math.log10(abs(value)))) if value else 0
    return f"{value:,.{decimals}f}"


_UNITS: Final = {
    "percent": _Unit(lambda value: f"{value:.2f}"),
    "number": _Unit(lambda value: _digits(value, 3)),
    "seconds": _Unit(lambda value: _digits(value, 2), ratio=True),
}
