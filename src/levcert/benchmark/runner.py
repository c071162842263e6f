"""Run the cells of a study on any executor; every row is written at once, so a killed run repeats nothing.

Cells that share a model run one after the other, so that it is trained once; all others run in parallel.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from levcert.benchmark.cell_models import configuration, model_of
from levcert.benchmark.cell_texts import dataset_for, select
from levcert.benchmark.machine import machine, versions
from levcert.benchmark.measures import measure
from levcert.benchmark.measures.base import Subject
from levcert.benchmark.quick_study import quick_cells
from levcert.benchmark.result_rows import Row, append_row, read_rows, row_of
from levcert.benchmark.study import Cell, Study
from levcert.errors import InputError
from levcert.runs.dask_cluster import connected
from levcert.runs.process_pool import ReplacingPool
from levcert.runs.workers import SerialExecutor


@dataclass(frozen=True)
class Summary:
    """The outcome of a run: existing rows, new rows, and why the others are missing."""

    there: int
    new: int
    missing: dict[str, str]  # cell → reason
    rows: tuple[Row, ...] = ()  # of the cells that were asked for, in their order


def rows_file(results: Path, study: str, *, quick: bool = False) -> Path:
    """Return the file with the rows of a study; quick rows never mix with the others."""
    return (results / "quick" if quick else results) / f"{study}.jsonl"


def run(
    study: Study,
    results: Path,
    models: Path,
    *,
    executor: Executor | None = None,
    quick: bool = False,
    may_train: bool = True,
    only: dict[str, list[str]] | None = None,
    done: Callable[[int, int], None] = lambda finished, total: None,
) -> Summary:
    """Run all cells that have no row yet; ``only`` keeps cells whose settings read as one of those given.

    If a cell has bad input (no data, no model), that is why its row is missing; the other cells continue.
    """
    path = rows_file(results, study.name, quick=quick)
    rows = read_rows(path)
    cells = _wanted(quick_cells(study) if quick else study.cells, only or {})
    todo = [cell for cell in cells if row_of(cell, rows) is None]
    pool = executor or SerialExecutor()
    missing: dict[str, str] = {}
    finished = len(cells) - len(todo)
    for cell, future in _outcomes(todo, lambda cell: pool.submit(run_cell, cell, models, may_train), executor is None):
        try:
            append_row(path, future.result())
        except InputError as error:
            missing[str(cell)] = str(error)
        finished += 1
        done(finished, len(cells))
    rows = read_rows(path)
    found = tuple(row for cell in cells if (row := row_of(cell, rows)) is not None)
    return Summary(len(cells) - len(todo), len(todo) - len(missing), missing, found)


def _outcomes(
    cells: list[Cell], submit: Callable[[Cell], Future[Row]], one_by_one: bool
) -> Iterator[tuple[Cell, Future[Row]]]:
    """Yield each cell when it is finished; cells of one model start one after the other, all others at once."""
    waiting = list(_by_model(cells).values())
    running: dict[Future[Row], list[Cell]] = {}
    try:
        while running or waiting:
            while waiting and not (one_by_one and running):
                chain = waiting.pop(0)
                running[submit(chain[0])] = chain
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                cell, *rest = running.pop(future)
                yield cell, future
                if rest:
                    running[submit(rest[0])] = rest
    finally:  # after an error or Ctrl-C, cells that have not started never do
        for future in running:
            future.cancel()


def run_cell(cell: Cell, models: Path, may_train: bool = True) -> Row:
    """Get the model, select the texts, measure."""
    started = time.perf_counter()
    dataset, config = dataset_for(cell.settings), configuration(cell)
    model = model_of(cell, models, may_train=may_train)
    split = select(cell.settings["texts"], dataset, config)
    truth = [dataset.labels[y] for y in split.labels]
    values = measure(Subject(model, [str(text) for text in split.texts], truth, config), cell.measures)
    record = model.training
    facts = {"config": dict(record.config), "data": dict(record.data), "seconds": record.seconds}
    training = {name: fact for name, fact in facts.items() if fact}
    texts = {"count": len(split), "fingerprint": split.fingerprint}
    seconds = round(time.perf_counter() - started, 1)
    return Row(cell.study, cell.settings, cell.measures, values, texts, training, versions(), machine(), seconds)


@contextmanager
def processes(workers: int) -> Iterator[Executor | None]:
    """Yield a pool of processes, or None for one worker: then everything runs in this process."""
    if workers == 1:
        yield None
        return
    with ReplacingPool(workers, what="one cell") as pool:
        yield pool


@contextmanager
def cluster(address: str) -> Iterator[Executor]:
    """Yield the executor of a dask.distributed cluster; its workers need the same folders."""
    with connected(address) as client, client.get_executor(pure=False) as executor:
        yield executor


def _by_model(cells: list[Cell]) -> dict[str, list[Cell]]:
    chains: dict[str, list[Cell]] = {}
    for cell in cells:
        settings = {name: value for name, value in cell.settings.items() if name != "texts"}
        chains.setdefault(repr(sorted(settings.items())), []).append(cell)
    return chains


def _wanted(cells: list[Cell], only: dict[str, list[str]]) -> list[Cell]:
    """Return the cells that have one of the values for each setting; reject a value that no cell has."""
    for name, values in only.items():
        written = list(dict.fromkeys(str(cell.settings[name]) for cell in cells if name in cell.settings))
        unknown = [value for value in values if value not in written]
        if unknown:
            settings = dict.fromkeys(setting for cell in cells for setting in cell.settings)
            there = f"{name} can be {', '.join(written)}" if written else f"the settings are {', '.join(settings)}"
            raise InputError(f"None of {len(cells)} cells has {name}={unknown[0]}; {there}.")
        cells = [cell for cell in cells if str(cell.settings.get(name)) in values]
    return cells
