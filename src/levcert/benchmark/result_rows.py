"""Rows of results, in the journal of each study: one JSON object per line, appended and never changed.

A row is on the disk before the next cell begins; a cell whose row a kill has torn simply runs again.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from levcert.benchmark.study import Cell
from levcert.errors import InputError
from levcert.runs.journal import Journal


@dataclass(frozen=True)
class Row:
    """What was measured in one cell, and with what."""

    study: str
    settings: dict[str, Any]
    measures: list[dict[str, Any]]
    values: dict[str, float]
    texts: dict[str, Any]  # how many, and their fingerprint
    training: dict[str, Any] = field(default_factory=dict)  # configuration, data and seconds of the model
    versions: dict[str, str] = field(default_factory=dict)
    machine: dict[str, Any] = field(default_factory=dict)
    seconds: float | None = None  # wall time of the cell, training included

    def is_of(self, cell: Cell) -> bool:
        """Whether this row is about the cell as it is declared now."""
        return (self.study, self.settings, self.measures) == (cell.study, cell.settings, cell.measures)

    def to_json(self) -> str:
        return json.dumps(writable(asdict(self)), ensure_ascii=False, allow_nan=False)

    @classmethod
    def from_dict(cls, fields: dict[str, Any]) -> Row:
        return cls(**_readable(fields))


def append_row(path: Path, row: Row) -> None:
    """Add a row to the journal of a study, and return when it is on the disk."""
    Journal(path).append(row.to_json())


def read_rows(path: Path) -> list[Row]:
    """Read all whole rows; no file, no rows."""
    rows = []
    for number, found in Journal(path).objects():
        try:
            rows.append(Row.from_dict(found))
        except TypeError as error:
            raise InputError(f"{path}, line {number}, is not a row of results: {error}.") from None
    return rows


def row_of(cell: Cell, rows: Iterable[Row]) -> Row | None:
    """Return the last row of a cell."""
    return next((row for row in reversed(list(rows)) if row.is_of(cell)), None)


def writable(value: Any) -> Any:
    """Put what JSON cannot hold into words: infinity is "inf"."""
    if isinstance(value, dict):
        return {name: writable(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [writable(item) for item in value]
    return "inf" if isinstance(value, float) and value == math.inf else value


def _readable(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _readable(item) for name, item in value.items()}
    if isinstance(value, list):
        return [_readable(item) for item in value]
    return math.inf if value == "inf" else value
