"""Which texts a cell is about: ``all``, ``first 50``, ``shuffled 50``, ``training 50``, ``validation`` or ``apart 50``.

They are cut as the training texts were, unless ``whole`` or ``cut 500`` behind the selection says otherwise.

``first`` is what the paper does.  IMDB's test file is sorted by label, so its first thousand rows are one class;
``shuffled`` takes a thousand rows of a fixed permutation instead.  ``training`` is what the paper does on Fake-News:
its loop takes row −i of the training split for i = 0, 1, …, which is the first row and then the last ones backwards.
``validation`` are the training rows set aside.
``apart`` chooses between options without a look at the test split: rows of the training split take its place.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache
from typing import Any, Final

import numpy as np

from levcert.benchmark.study import Settings
from levcert.datasets import Dataset, Split, load_dataset
from levcert.datasets.dataset import holdout_apart
from levcert.errors import InputError
from levcert.training import data

_SELECTION: Final = re.compile(
    r"validation|(?:all|(?:first|shuffled|training|apart) (?P<count>\d+))(?: (?P<whole>whole)| cut (?P<length>\d+))?"
)
_PERMUTATION: Final = 0  # seed of the one order in which all shuffled selections are taken
_APART: Final = 0  # seed of the one choice of rows to set apart


@lru_cache(maxsize=4)
def dataset_of(name: str) -> Dataset:
    """Load a dataset once per process; ``abab`` is the text of docs/soundness.md."""
    if name == "abab":
        split = Split(["ab" * 30], np.zeros(1, dtype=np.int64))
        return Dataset(name, ("0", "1"), split, split, source="docs/soundness.md")
    return load_dataset(name)


def dataset_for(settings: Settings) -> Dataset:
    """Return the dataset of a cell; with ``apart N`` it is the training split, and N of its rows are the test."""
    apart = re.match(r"apart (\d+)", settings["texts"])
    return _set_apart(settings["dataset"], int(apart[1])) if apart else dataset_of(settings["dataset"])


@lru_cache(maxsize=4)
def _set_apart(name: str, rows: int) -> Dataset:
    dataset = dataset_of(name)
    rest, aside = holdout_apart(dataset.train, rows, _APART)
    return replace(dataset, train=rest, test=aside)


def training_rows(dataset: Dataset, config: dict[str, Any]) -> tuple[Split, Split | None]:
    """Return the rows that a training with this configuration sees, and those it sets aside."""
    return data.training_rows(dataset, config.get("cut"), config.get("validation_rows", 0), config["seed"])


def select(selection: str, dataset: Dataset, config: dict[str, Any]) -> Split:
    """Return the texts that a selection means, cut as it says or as the model's training texts were."""
    parsed = _SELECTION.fullmatch(selection)
    if parsed is None:
        raise InputError(
            "A selection is 'all', 'first N', 'shuffled N', 'training N', 'validation' or 'apart N', "
            f"not {selection!r}."
        )
    rows = selection.split()[0]
    if rows == "validation":
        aside = training_rows(dataset, config)[1]
        if aside is None:
            raise InputError("To measure on validation rows, set validation_rows in the grid.")
        return aside
    split = dataset.train if rows == "training" else dataset.test
    order = np.arange(len(split))
    if rows == "shuffled":
        order = np.random.default_rng(_PERMUTATION).permutation(len(order))
    elif rows == "training":
        order = -order
    count = int(parsed["count"] or len(order))
    length = int(parsed["length"]) if parsed["length"] else None if parsed["whole"] else config.get("cut")
    return split.take(order[:count]).cut(length)
