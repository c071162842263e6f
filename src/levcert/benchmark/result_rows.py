"""Rows of results: one JSON object per line, appended and never changed.

A line is on the disk before the next cell begins.  A kill in the middle of a write leaves a torn last line, which
readers pass over and the next writer closes; its cell simply runs again.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from levcert.benchmark.study import Cell
from levcert.errors import InputError


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
    def from_json(cls, line: str) -> Row:
        return cls(**_readable(json.loads(line)))


def append_row(path: Path, row: Row) -> None:
    """Add a row, and return when it is on the disk."""
    path.parent.mkdir(parents=True, exist_ok=True)
    line = row.to_json().encode() + b"\n"
    with path.open("ab+") as file:
        if file.tell():
            file.seek(-1, os.SEEK_END)
            if file.read(1) != b"\n":  # the last write was cut off
                line = b"\n" + line
        file.write(line)
        file.flush()
        os.fsync(file.fileno())


def read_rows(path: Path) -> list[Row]:
    """Read all whole rows; no file, no rows."""
    if not path.exists():
        return []
    rows = []
    for number, line in enumerate(path.read_bytes().split(b"\n"), 1):
        if not line.strip():
            continue
        try:
            text = line.decode()
            rows.append(Row.from_json(text))
        except (ValueError, UnicodeDecodeError):
            continue  # torn by a kill
        except TypeError as error:
            raise InputError(f"{path}, line {number}, is no row of results: {error}.") from None
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
