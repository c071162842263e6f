"""Which texts a cell is about, and which rows its model may see.

Rows of the test split: ``all``, ``first 1000``, ``shuffled 1000``.  ``first`` is what the paper does.  IMDB's test
file is sorted by label, so its first thousand rows are one class; ``shuffled`` takes rows of a fixed permutation.

Rows of the training split that the model saw: ``training 50``, which is what the paper does on Fake-News.

Rows of the training split that the model did not see: ``validation`` (set aside at random, by the seed of the
training), ``last 1000`` (the paper's validation rows) and ``apart 1000`` (rows that occur in no other row: to choose
between options without a look at the test split).

The texts are cut as the training texts were, unless ``whole`` or ``cut 500`` behind the selection says otherwise.
"""

from __future__ import annotations

import os
import re
from dataclasses import replace
from functools import lru_cache
from typing import Any, Final

import numpy as np

from levcert.benchmark.study import Settings
from levcert.datasets import Dataset, Split, load_dataset
from levcert.datasets.dataset import holdout_apart
from levcert.datasets.paper_datasets import DATA_VARIABLE
from levcert.errors import InputError
from levcert.training import data

_SELECTION: Final = re.compile(
    r"validation|(?:all|(?:first|shuffled|training|last|apart) (?P<count>\d+))"
    r"(?: (?P<whole>whole)| cut (?P<length>\d+))?"
)
_PERMUTATION: Final = 0  # seed of the one order in which all shuffled selections are taken
_APART: Final = 0  # seed of the one choice of rows to set apart


def dataset_of(name: str) -> Dataset:
    """Load a dataset once per process; ``abab`` is the text of docs/published-bound.md."""
    loaded = _loaded(name, os.environ.get(DATA_VARIABLE))
    if isinstance(loaded, InputError):
        raise loaded
    return loaded


@lru_cache(maxsize=4)
def _loaded(name: str, folder: str | None) -> Dataset | InputError:
    """Return the dataset, or the reason it is missing: a failed download is not repeated for every cell."""
    if name == "abab":
        split = Split(["ab" * 30], np.zeros(1, dtype=np.int64))
        return Dataset(name, ("0", "1"), split, split, source="docs/soundness.md")
    try:
        return load_dataset(name, folder)
    except InputError as error:
        return error


def dataset_for(settings: Settings) -> Dataset:
    """Return the dataset of a cell; ``apart N`` and ``last N`` take N rows from the training split for the test."""
    parsed = re.match(r"(apart|last) (\d+)", settings["texts"])
    return _held_out(settings["dataset"], parsed[1], int(parsed[2])) if parsed else dataset_of(settings["dataset"])


@lru_cache(maxsize=4)
def _held_out(name: str, which: str, rows: int) -> Dataset:
    dataset = dataset_of(name)
    if which == "apart":
        rest, aside = holdout_apart(dataset.train, rows, _APART)
    else:
        rest, aside = dataset.train.take(slice(-rows)), _from_the_end(dataset.train, rows)
    return replace(dataset, train=rest, test=aside)


def _from_the_end(split: Split, rows: int) -> Split:
    """Return rows −i for i = 0, 1, … as the paper's code does: by a slip the first, then the last ones backwards."""
    return split.take(-np.arange(min(rows, len(split))))


def training_rows(dataset: Dataset, config: dict[str, Any]) -> tuple[Split, Split | None]:
    """Return the rows that a training with this configuration sees, and those it sets aside."""
    return data.training_rows(dataset, config.get("cut"), config.get("validation_rows", 0), config["seed"])


def select(selection: str, dataset: Dataset, config: dict[str, Any]) -> Split:
    """Return the texts that a selection means, cut as it says or as the model's training texts were."""
    parsed = _SELECTION.fullmatch(selection)
    if parsed is None:
        raise InputError(
            "A selection is 'all', 'first N', 'shuffled N', 'training N', 'validation', 'last N' or 'apart N', "
            f"not {selection!r}."
        )
    rows = selection.split()[0]
    if rows == "validation":
        aside = training_rows(dataset, config)[1]
        if aside is None:
            raise InputError("To measure on validation rows, set validation_rows in the grid.")
        return aside
    count = int(parsed["count"] or len(dataset.test))
    length = int(parsed["length"]) if parsed["length"] else None if parsed["whole"] else config.get("cut")
    if rows == "training":
        return _from_the_end(dataset.train, count).cut(length)
    order = np.arange(len(dataset.test))
    if rows == "shuffled":
        order = np.random.default_rng(_PERMUTATION).permutation(len(order))
    return dataset.test.take(order[:count]).cut(length)
