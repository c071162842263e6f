"""What both kinds of training do with rows: truncate them, hold some out, and measure accuracy."""

from __future__ import annotations

import numpy as np

from levcert.datasets.dataset import Dataset, Split, holdout
from levcert.errors import InputError
from levcert.models.window import WindowModel

_TEXTS_AT_ONCE = 1000


def training_rows(dataset: Dataset, cut: int | None, validation_rows: int, seed: int) -> tuple[Split, Split | None]:
    """Return the rows to train on and the held-out rows, if any, all truncated to ``cut`` characters."""
    split = dataset.train.cut(cut)
    if not len(split):
        raise InputError(f"The dataset {dataset.name} has no training rows.")
    return holdout(split, validation_rows, seed) if validation_rows else (split, None)


def accuracy(model: WindowModel, split: Split) -> float:
    """Return the share of texts that the model labels correctly."""
    parts = (split.texts[i : i + _TEXTS_AT_ONCE] for i in range(0, len(split), _TEXTS_AT_ONCE))
    scores = np.concatenate([model.scores(part) for part in parts])
    return float((scores.argmax(axis=1) == split.labels).mean())


def row_counts(dataset: Dataset, model: WindowModel) -> dict[str, int]:
    """Return how many rows of a dataset the model was trained on, and how many were held out for what."""
    used = int(model.training.data["rows"])
    return {"training": used, "validation": len(dataset.train) - used, "test": len(dataset.test)}
