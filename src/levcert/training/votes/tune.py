"""A small grid search for the options of bounded votes, on held-out rows of the training split."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any, Final

import numpy as np

from levcert.datasets.dataset import Dataset, Split, holdout_apart
from levcert.errors import InputError
from levcert.runs.journal import Journal
from levcert.training.data import accuracy
from levcert.training.votes.config import VoteConfig
from levcert.training.votes.train import train_votes, verified_accuracy

GRID: Final[dict[str, tuple[Any, ...]]] = {
    "orders": ((5,), (4, 6), (2, 4, 6)),
    "temperature": (2.0, 1.0, 0.3),
    "table_bits": (20, 22),
}


@dataclass(frozen=True)
class Trial:
    """One configuration, and its results on the held-out rows."""

    options: dict[str, Any]
    accuracy: float
    verified: float
    seconds: float


@dataclass(frozen=True)
class Tuning:
    """All trials; the best has the highest verified accuracy, with ties broken by accuracy."""

    trials: tuple[Trial, ...]
    distance: int

    @property
    def best(self) -> Trial:
        return max(self.trials, key=lambda trial: (trial.verified, trial.accuracy))

    def config(self) -> VoteConfig:
        """Return the configuration of the best trial."""
        return VoteConfig().changed(self.best.options)


def tune(
    dataset: Dataset,
    distance: int = 2,
    grid: Mapping[str, Sequence[Any]] | None = None,
    *,
    rows: int | None = None,
    journal: str | Path | None = None,
    report: Callable[[Trial], None] | None = None,
    **options: Any,
) -> Tuning:
    """Train every configuration of a grid and compare verified accuracy at a distance; the test split is not used.

    ``rows`` are held out (by default a tenth, at most 1,000).  With a ``journal`` (JSON lines), each trial is written
    as soon as it is done, and trials already in the journal are not repeated.  ``options`` are the same for all trials.

    Examples:
        >>> data = levcert.load_dataset("toy")
        >>> found = levcert.tune(data, 1, {"orders": [(2,), (2, 3)]}, table_bits=12, epochs=1)
        >>> found.best.options["orders"]
        (2,)
    """
    if distance < 1:
        raise InputError(f"distance must be at least 1, not {distance}.")
    rows = min(1000, len(dataset.train) // 10) if rows is None else rows
    rest, aside = holdout_apart(dataset.train, rows, seed=0)
    data = Dataset(dataset.name, dataset.labels, rest, Split([], np.zeros(0, dtype=np.int64)), dataset.source)
    trials_file = None if journal is None else Journal(Path(journal))
    known = _known(trials_file, rest.fingerprint, distance)
    trials = []
    for chosen in _points(GRID if grid is None else grid):
        config = VoteConfig().changed({"calibration": "none", "samples": 0} | options | chosen)
        key = json.dumps(config.to_dict())
        trial = known.get(key)
        if trial is None:
            started = time.perf_counter()
            model = train_votes(data, config, show_progress=False)
            seconds = time.perf_counter() - started
            trial = Trial(
                {**options, **chosen}, accuracy(model, aside), verified_accuracy(model, aside, distance), seconds
            )
            if trials_file is not None:
                facts = {"data": rest.fingerprint, "distance": distance, "config": key, "trial": trial.__dict__}
                trials_file.append(json.dumps(facts))
        trials.append(trial)
        if report is not None:
            report(trial)
    if not trials:
        raise InputError("The grid to tune over is empty.")
    return Tuning(tuple(trials), distance)


def _points(grid: Mapping[str, Sequence[Any]]) -> Iterator[dict[str, Any]]:
    return (dict(zip(grid, values, strict=True)) for values in product(*grid.values()))


def _known(journal: Journal | None, data: str, distance: int) -> dict[str, Trial]:
    """Return the trials of a journal that are about the same rows and distance, by their configurations."""
    known = {}
    for _, row in journal.objects() if journal else ():
        try:
            if row["data"] == data and row["distance"] == distance:
                known[row["config"]] = Trial(**row["trial"])
        except (KeyError, TypeError):
            continue  # not a trial
    return known
