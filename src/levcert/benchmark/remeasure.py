"""Measure rows again from stored models: a number that cannot be reproduced is not a result."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from levcert.benchmark.cell_models import REPRODUCIBLE, NotStoredError
from levcert.benchmark.result_rows import Row, read_rows, row_of
from levcert.benchmark.runner import rows_file, run_cell
from levcert.benchmark.study import Cell, load_study, study_names
from levcert.errors import InputError


@dataclass(frozen=True)
class Outcome:
    """How many rows were measured again, and each value that came out differently."""

    checked: int
    differences: list[str]


def check_rows(
    results: Path,
    models: Path,
    sample: int,
    seed: int,
    *,
    may_train: bool = False,
    done: Callable[[int, int], None] = lambda finished, total: None,
) -> Outcome:
    """Take random rows of all studies until ``sample`` of them could be measured again; times may differ.

    Models that are not stored are trained if that is allowed and gives the same bits again.
    """
    candidates = [pair for name in study_names() for pair in _measured(name, results)]
    if not candidates:
        raise InputError(f"There are no rows in {results}. Run a study first, or name the folder with --results.")
    random.Random(seed).shuffle(candidates)
    checked, differences = 0, []
    for cell, row in candidates:
        if checked == sample:
            break
        try:
            again = run_cell(cell, models, may_train=may_train and cell.settings["model"] in REPRODUCIBLE)
        except NotStoredError:
            continue
        checked += 1
        done(checked, sample)
        differences += compare(cell, row, again)
    if not checked:
        raise InputError(f"No row of {len(candidates)} in {results} has its model in {models}. Run a study first.")
    return Outcome(checked, differences)


def _measured(study: str, results: Path) -> list[tuple[Cell, Row]]:
    """Return the cells that have a row with more in it than times."""
    rows = read_rows(rows_file(results, study))
    pairs = [(cell, row_of(cell, rows)) for cell in load_study(study).cells]
    return [(cell, row) for cell, row in pairs if row is not None and not all(map(is_time, row.values))]


def compare(cell: Cell, row: Row, again: Row) -> list[str]:
    """Say in one line each what differs."""
    found = [] if row.texts == again.texts else [f"{cell}: measured on other texts than the row names"]
    for name in sorted(row.values.keys() | again.values.keys()):
        old, new = row.values.get(name), again.values.get(name)
        if not is_time(name) and old != new:
            found.append(f"{cell}: {name} is {new}, but the row says {old}")
    return found


def is_time(value: str) -> bool:
    return value.endswith("seconds")
