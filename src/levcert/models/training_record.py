"""How a model was trained: what its file remembers."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from levcert.errors import InputError

_PARTS = ("config", "data", "metrics")


@dataclass(frozen=True)
class TrainingRecord:
    """The options, the data and the results of a training; all empty for a model that levcert did not train.

    Examples:
        >>> model = levcert.load("toy.safetensors")
        >>> model.training.data["rows"], model.training.test_accuracy
        (400, 1.0)
    """

    config: Mapping[str, Any] = field(default_factory=dict)  # the options, as VoteConfig or TrainingConfig writes them
    # "name", "rows", the fingerprint of the rows as "train", and "samples"
    data: Mapping[str, Any] = field(default_factory=dict)
    metrics: Mapping[str, Any] = field(default_factory=dict)  # "seconds", "epochs" and accuracies such as "test"
    other: Mapping[str, Any] = field(default_factory=dict)  # everything else a file says

    @classmethod
    def of(cls, training: TrainingRecord | Mapping[str, Any] | None) -> TrainingRecord:
        """Return a record that is given as such, as :meth:`to_dict` writes it, or not at all."""
        if isinstance(training, TrainingRecord):
            return training
        fields = dict(training or {})
        parts = {name: fields.pop(name, {}) for name in _PARTS}
        for name, part in parts.items():
            if not isinstance(part, Mapping):
                raise InputError(f"The {name} of a training is a table of names and values, not {part!r}.")
        return cls(**parts, other=fields)

    def __getitem__(self, name: str) -> Any:
        """Read as from the dictionary that version 0.1 had."""
        warnings.warn(
            f"Write model.training.{name} instead of model.training[{name!r}], which will be removed in 0.3.",
            DeprecationWarning,
            stacklevel=2,
        )
        return self.to_dict()[name]

    def to_dict(self) -> dict[str, Any]:
        """Return what a model file stores."""
        parts = {name: dict(getattr(self, name)) for name in _PARTS}
        return dict(self.other) | {name: part for name, part in parts.items() if part}

    @property
    def test_accuracy(self) -> float | None:
        """The share of test texts that the model labels correctly, if there were any."""
        return self.metrics.get("test")

    @property
    def samples(self) -> tuple[tuple[str, str], ...]:
        """Texts that training kept, each with its label, for people who want to try the model."""
        stored = self.data.get("samples", ())
        rows = [row for row in stored if isinstance(row, Mapping)] if isinstance(stored, list | tuple) else []
        pairs = [(row.get("label"), row.get("text")) for row in rows]
        return tuple((label, text) for label, text in pairs if isinstance(label, str) and isinstance(text, str))

    @property
    def temperature(self) -> float:
        """T of the probabilities softmax(f/T); 1 for a model that was not calibrated."""
        calibration = self.metrics.get("calibration", {})
        value = calibration.get("temperature", 1.0) if isinstance(calibration, Mapping) else None
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < math.inf:
            raise InputError(f"The temperature of the model's probabilities is {value!r}; train the model again.")
        return float(value)

    @property
    def seconds(self) -> float | None:
        """How long the training took."""
        return self.metrics.get("seconds")
