"""What both kinds of training do with rows: truncate them, hold some out, weigh them, and measure accuracy."""

from __future__ import annotations

from typing import Final, Literal

import numpy as np
import numpy.typing as npt

from levcert.datasets.dataset import Dataset, Split, holdout
from levcert.errors import InputError
from levcert.models.calibration import expected_calibration_error, fitted_temperature, log_loss, probabilities
from levcert.models.window import WindowModel

ClassWeight = Literal["auto", "none", "balanced"]
SKEWED: Final = 2.0  # classes are skewed if one has at least this many times the weight of another
_MOST_SAMPLED_CLASSES: Final = 8
_LONGEST_SAMPLE: Final = 400  # characters
_TEXTS_AT_ONCE = 1000


def training_rows(dataset: Dataset, cut: int | None, validation_rows: int, seed: int) -> tuple[Split, Split | None]:
    """Return the rows to train on and the held-out rows, if any, all truncated to ``cut`` characters."""
    split = dataset.train.cut(cut)
    if split.weights is not None:
        if len(split) and not split.weights.any():
            raise InputError("All weights are 0; give at least one row a positive weight.")
        split = split.take(np.flatnonzero(split.weights))  # a row of weight 0 is as good as not there
    if not len(split):
        raise InputError(f"The dataset {dataset.name} has no training rows.")
    return holdout(split, validation_rows, seed) if validation_rows else (split, None)


def resolved_class_weight(choice: ClassWeight, split: Split) -> ClassWeight:
    """Return what ``auto`` means for these rows: balanced if they are skewed, else none."""
    if choice != "auto":
        return choice
    totals = np.bincount(split.labels, split.weights)
    occurring = totals[totals > 0]
    return "balanced" if len(occurring) and occurring.max() >= SKEWED * occurring.min() else "none"


def row_weights(split: Split, choice: ClassWeight) -> npt.NDArray[np.float64]:
    """Return how much each row counts: its own weight, times W/(m·W_y) if classes are balanced; 1 on average.

    W is the weight of all rows, W_y that of its class, and m the number of classes that occur, so that all classes
    together have the same weight.
    """
    weights = np.ones(len(split)) if split.weights is None else split.weights / split.weights.mean()
    if resolved_class_weight(choice, split) == "balanced":
        totals = np.bincount(split.labels, weights)
        weights = weights * (len(split) / (np.count_nonzero(totals) * totals[split.labels]))
    return weights


def samples(model: WindowModel, split: Split, count: int) -> list[dict[str, str]]:
    """Return some texts of each class that the model labels correctly, of middling length, for the page.

    The median of the lengths is less likely to be odd than the first row, and no random choice is needed.
    """
    found: list[dict[str, str]] = []
    predicted = _scores(model, split).argmax(axis=1) if len(split) and count else np.zeros(0)
    for number, label in enumerate(model.labels[:_MOST_SAMPLED_CLASSES]):
        rows = np.flatnonzero((predicted == number) & (split.labels == number)) if len(predicted) else np.zeros(0)
        texts = [text for row in rows.tolist() if isinstance(text := split.texts[int(row)], str)]
        readable = sorted({text for text in texts if text.strip() and len(text) <= _LONGEST_SAMPLE}, key=len)
        middle = max(0, (len(readable) - count) // 2)
        found += [{"label": label, "text": text} for text in readable[middle : middle + count]]
    return found


def calibration(model: WindowModel, split: Split) -> dict[str, float]:
    """Fit the temperature of a model's probabilities to rows that it was not trained on, and measure them."""
    scores = _scores(model, split)
    temperature = fitted_temperature(scores, split.labels)
    chances = probabilities(scores, temperature)
    return {
        "temperature": temperature,
        "rows": len(split),
        "log_loss": log_loss(chances, split.labels),
        "expected_calibration_error": expected_calibration_error(chances, split.labels),
    }


def accuracy(model: WindowModel, split: Split) -> float:
    """Return the share of texts that the model labels correctly."""
    return float((_scores(model, split).argmax(axis=1) == split.labels).mean())


def _scores(model: WindowModel, split: Split) -> npt.NDArray[np.float64]:
    parts = (split.texts[i : i + _TEXTS_AT_ONCE] for i in range(0, len(split), _TEXTS_AT_ONCE))
    return np.concatenate([model.scores(part) for part in parts])


def row_counts(dataset: Dataset, model: WindowModel) -> dict[str, int]:
    """Return how many rows of a dataset the model was trained on, and how many were held out for what."""
    used = int(model.training.data["rows"])
    return {"training": used, "validation": len(dataset.train) - used, "test": len(dataset.test)}
