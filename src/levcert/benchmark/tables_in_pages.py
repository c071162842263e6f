"""Tables inside hand-written pages: between ``<!-- table NAME -->`` and ``<!-- end -->``."""

from __future__ import annotations

import re
from pathlib import Path

from levcert.benchmark.document import markdown_table
from levcert.benchmark.result_rows import read_rows
from levcert.benchmark.runner import rows_file
from levcert.benchmark.speed_table import SPEED_TABLES
from levcert.benchmark.study import load_study, study_names
from levcert.benchmark.tables import Table, make_table
from levcert.errors import InputError
from levcert.files.atomic import atomic_path, existing_file

_PLACE = re.compile(r"<!-- table ([\w-]+) -->.*?<!-- end -->", re.DOTALL)


def fill_places(path: Path, results: Path) -> None:
    """Fill every place in a Markdown file with its table, from the current rows."""
    text = existing_file(path).read_text(encoding="utf-8")
    if not _PLACE.search(text):
        raise InputError(f"{path} has no place for a table; write <!-- table NAME --> and <!-- end -->.")
    filled = _PLACE.sub(lambda place: f"<!-- table {place[1]} -->\n{_table(place[1], results)}\n<!-- end -->", text)
    with atomic_path(path) as part:
        part.write_text(filled, encoding="utf-8")


def _table(name: str, results: Path) -> str:
    if name in SPEED_TABLES:
        return _written(SPEED_TABLES[name](results))
    for study in map(load_study, study_names()):
        for spec in study.tables:
            if spec["name"] == name:
                return _written(make_table(study, spec, read_rows(rows_file(results, study.name))))
    raise InputError(f"No study has a table {name!r}.")


def _written(table: Table) -> str:
    return "\n\n".join([markdown_table(table), *table.notes])
