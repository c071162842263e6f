"""Which texts a cell is about: ``all``, ``first 1000``, ``shuffled 1000`` or ``validation``; ``whole`` for uncut ones.

``first`` is what the paper does.  IMDB's test file is sorted by label, so its first thousand rows are one class;
``shuffled`` takes a thousand rows of a fixed permutation instead.  ``validation`` are the training rows set aside.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final

import numpy as np

from levcert.datasets import Dataset, Split, load_dataset
from levcert.errors import InputError
from levcert.training import data

_PERMUTATION: Final = 0  # seed of the one order in which all shuffled selections are taken


@lru_cache(maxsize=4)
def dataset_of(name: str) -> Dataset:
    """Load a dataset once per process; ``abab`` is the text of docs/soundness.md."""
    if name == "abab":
        split = Split(["ab" * 30], np.zeros(1, dtype=np.int64))
        return Dataset(name, ("0", "1"), split, split, source="docs/soundness.md")
    return load_dataset(name)


def training_rows(dataset: Dataset, config: dict[str, Any]) -> tuple[Split, Split | None]:
    """Return the rows that a training with this configuration sees, and those it sets aside."""
    return data.training_rows(dataset, config.get("cut"), config.get("validation_rows", 0), config["seed"])


def select(selection: str, dataset: Dataset, config: dict[str, Any]) -> Split:
    """Return the texts that a selection means, cut as the model's training texts were."""
    words = selection.split()
    length = None if "whole" in words else config.get("cut")
    if words[0] == "validation":
        aside = training_rows(dataset, config)[1]
        if aside is None:
            raise InputError("To measure on validation rows, set validation_rows in the grid.")
        return aside
    if words[0] == "all":
        return dataset.test.cut(length)
    if words[0] not in ("first", "shuffled") or len(words) < 2 or not words[1].isdecimal():
        raise InputError(f"A selection is 'all', 'first N', 'shuffled N' or 'validation', not {selection!r}.")
    order = np.arange(len(dataset.test))
    if words[0] == "shuffled":
        order = np.random.default_rng(_PERMUTATION).permutation(len(order))
    return dataset.test.take(order[: int(words[1])]).cut(length)
