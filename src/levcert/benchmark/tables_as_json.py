"""The tables of a study as numbers, for other programs: ``results/NAME.json`` next to its rows ``NAME.jsonl``."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from levcert.benchmark.result_rows import Row, writable
from levcert.benchmark.statistics import Comparison
from levcert.benchmark.study import Study
from levcert.benchmark.tables import Group, line_groups, whole_heads
from levcert.files.atomic import atomic_path


def write_claims(study: Study, rows_path: Path, rows: Sequence[Row]) -> Path:
    """Write the numbers in a study's tables next to its rows, completely or not at all; return the file."""
    claims = {
        "study": study.name,
        "title": study.title,
        "rows": rows_path.name,
        "command": study.command,
        "tables": [_table(study, spec, rows) for spec in study.page_tables],
    }
    text = json.dumps(writable(claims), ensure_ascii=False, allow_nan=False, indent=1)
    path = rows_path.with_suffix(".json")
    with atomic_path(path) as part:
        part.write_text(text + "\n", encoding="utf-8")
    return path


def _table(study: Study, spec: dict[str, Any], rows: Sequence[Row]) -> dict[str, Any]:
    lines = [_line(name, group, spec) for name, group in line_groups(study, spec, rows).items()]
    return {"table": spec["name"], "title": spec["title"], "unit": spec["unit"], "lines": lines}


def _line(name: str, group: Group, spec: dict[str, Any]) -> dict[str, Any]:
    """Return one setting: the seeds that were run, and each column that was published or measured."""
    first, *others = group.cells
    shared = {key: value for key, value in first.settings.items() if all(o.settings.get(key) == value for o in others)}
    line: dict[str, Any] = {"line": name, "settings": shared}
    if group.rows:
        line["seeds"] = [row.settings["seed"] for row in group.rows if "seed" in row.settings]
    elif first.not_run:
        line["not_run"] = first.not_run
    heads = whole_heads([column["head"] for column in spec["columns"]])
    columns = ((head, _numbers(group.compare(column))) for head, column in zip(heads, spec["columns"], strict=True))
    return line | {"columns": {head: numbers for head, numbers in columns if numbers}}


def _numbers(comparison: Comparison) -> dict[str, Any]:
    """Return what is known of a comparison, means and deviations in six digits."""
    mean, deviation = comparison.published or (None, None)
    computed = {
        "mean": comparison.mean,
        "deviation": comparison.deviation,
        "difference": comparison.difference,
        "standard_error": comparison.standard_error,
    }
    numbers: dict[str, Any] = {"published": mean, "published_deviation": deviation}
    numbers["measured"] = comparison.measured or None
    numbers |= {name: None if value is None else float(f"{value:.6g}") for name, value in computed.items()}
    if comparison.standard_error is not None:
        numbers["differs"] = comparison.differs
    return {name: value for name, value in numbers.items() if value is not None}
