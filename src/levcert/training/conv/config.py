"""Every number of a training run of the paper's network, named, in one frozen object."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Final, Literal

from levcert.errors import InputError
from levcert.models.activations import get_activation
from levcert.training.base_config import Configuration, option

Method = Literal["lipschitz", "penalty", "plain"]
Normaliser = Literal["norms", "substitution"]


@dataclass(frozen=True)
class TrainingConfig(Configuration):
    """The paper's recipe by default; ``TrainingConfig.preset("paper", "sst2")`` has its sizes for a dataset."""

    method: Method = option("lipschitz", "lipschitz: every layer divided by its constant; penalty: + λ·G; plain.")
    p: float = option(2.0, "Norm of the ERP distance: 1, 2 or inf.")
    normaliser: Normaliser = option("norms", "Divide by the paper's norms, or by the exact substitution constant.")
    penalty: float = option(0.0, "λ of the method penalty.")
    layers: int = option(1, "Number of convolutions.")
    embedding_size: int = option(150, "Dimension of the embedding.")
    filters: int = option(100, "Filters of each convolution.")
    kernel_size: int = option(10, "Characters that a convolution sees at once.")
    activation: str = option("relu", "relu, leaky_relu, tanh or gelu.")
    pooling: Literal["sum", "mean"] = option("sum", "How positions are pooled.")
    learning_rate: float = option(100.0, "Largest learning rate of the triangular schedule.")
    peak: float = option(0.4, "Share of the training after which the rate is largest.")
    momentum: float = option(0.9, "Momentum of SGD.")
    batch_size: int = option(128, "Texts per step.")
    epochs: int = option(30, "Passes over the training texts.")
    deletion: float = option(0.0, "Probability with which each character is deleted in training (for RS-Del).")
    cut: int | None = option(None, "Use only so many first characters of each text; certificates then speak of those.")
    validation_rows: int = option(0, "Training rows to set aside and report on.")
    seed: int = option(1, "Seed of the weights, the order of texts and the rows set aside.")
    threads: int = option(1, "CPU threads; the result is the same to rounding.")
    device: str = option("cpu", "cpu (our kernels), or a torch device such as cuda (plain torch).")

    def __post_init__(self) -> None:
        if self.p not in (1, 2, math.inf):
            raise InputError(f"p is 1, 2 or inf, not {self.p}.")
        get_activation(self.activation)
        self.check_choices()
        self.check_positive("layers", "embedding_size", "filters", "kernel_size", "batch_size", "epochs", "threads")
        if not (self.learning_rate > 0 and math.isfinite(self.learning_rate)):
            raise InputError(f"learning_rate is a positive number, not {self.learning_rate}.")
        if not (0 < self.peak < 1 and 0 <= self.momentum < 1 and 0 <= self.deletion < 1 and self.penalty >= 0):
            raise InputError("peak is in (0, 1), momentum and deletion in [0, 1), and penalty at least 0.")
        if self.validation_rows < 0 or (self.cut is not None and self.cut < 1):
            raise InputError("validation_rows is at least 0, and cut at least 1.")
        exact = self.layers == 1 and get_activation(self.activation).increasing
        if self.normaliser == "substitution" and not exact:
            raise InputError(
                "The exact substitution constant is known for one layer with an increasing activation; "
                "use normaliser=norms."
            )

    @classmethod
    def preset(cls, name: str, dataset: str = "", **changes: Any) -> TrainingConfig:
        """Return a named configuration with some fields changed.

        ``paper``: kernel size 5 for SST-2, else 10; learning rate 100, or 0.01 unless 1-Lipschitz.
        """
        if name not in PRESETS:
            raise InputError(f"There is no preset {name!r}; there is {', '.join(PRESETS)}.")
        base: dict[str, Any] = {"kernel_size": 5 if dataset == "sst2" else 10}
        if changes.get("method", "lipschitz") != "lipschitz":
            base["learning_rate"] = 0.01
        return cls().changed(base | changes)


PRESETS: Final = ("paper",)
