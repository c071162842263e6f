"""Every setting of a training run of the paper's network, in one frozen object."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Final, Literal

from levcert.errors import InputError
from levcert.models.activations import get_activation
from levcert.training.base_config import CALIBRATION_HELP, CLASS_WEIGHT_HELP, SAMPLES_HELP, Configuration, option

Method = Literal["lipschitz", "penalty", "plain"]
Normaliser = Literal["norms", "substitution", "edits"]


@dataclass(frozen=True)
class TrainingConfig(Configuration):
    """The paper's recipe by default; ``TrainingConfig.preset("paper", "sst2")`` has the paper's sizes for a dataset.

    Examples:
        >>> levcert.TrainingConfig.preset("paper", "sst2").epochs
        30
    """

    method: Method = option(
        "lipschitz", "lipschitz: divide every layer by its constant; penalty: add λ·G to the loss; plain: neither."
    )
    p: float = option(2.0, "Norm of the ERP distance: 1, 2 or inf.")
    normaliser: Normaliser = option(
        "norms", "Divide by the paper's norms, the exact substitution constant, or the cost of one edit of any kind."
    )
    constants: Literal["largest", "each"] = option(
        "largest", "With normaliser edits: divide all margins by the largest constant, or each by its own pair's."
    )
    loss: Literal["cross_entropy", "hinge"] = option(
        "cross_entropy", "Cross-entropy, or hinge: how far a text falls short of the margin."
    )
    scale: float = option(1.0, "Factor on the margins in the loss; larger favours accuracy, smaller favours radius.")
    margin: float = option(0.0, "Margin by which the label must win in the loss; with normaliser edits, in edits.")
    penalty: float = option(0.0, "λ, for the method penalty.")
    layers: int = option(1, "Number of convolutions.")
    embedding_size: int = option(150, "Dimension of the embedding.")
    filters: int = option(100, "Filters of each convolution.")
    kernel_size: int = option(10, "Width of a convolution, in characters.")
    activation: str = option("relu", "relu, leaky_relu, tanh or gelu.")
    pooling: Literal["sum", "mean"] = option("sum", "How to pool the positions of a text.")
    fold: Literal["none", "case", "lookalikes", "leet", "letters"] = option(
        "case",
        "Which characters count as the same: none, case, lookalikes (and accents and invisible ones), leet, letters.",
    )
    optimiser: Literal["sgd", "adam"] = option("sgd", "SGD with momentum, as in the paper, or Adam.")
    learning_rate: float = option(100.0, "Peak of the triangular learning-rate schedule.")
    peak: float = option(0.4, "When the learning rate peaks, as a share of the training.")
    momentum: float = option(0.9, "Momentum of SGD.")
    batch_size: int = option(128, "Texts per step.")
    epochs: int = option(30, "Passes over the training texts.")
    deletion: float = option(0.0, "Probability of deleting each character in training (for RS-Del).")
    class_weight: Literal["auto", "none", "balanced"] = option("auto", CLASS_WEIGHT_HELP)
    cut: int | None = option(
        None, "Truncate each text to its first N characters; certificates then apply to the truncated text."
    )
    validation_rows: int = option(0, "Number of training rows to hold out and report accuracy on.")
    calibration: Literal["auto", "none"] = option("auto", CALIBRATION_HELP.format(""))
    samples: int = option(1, SAMPLES_HELP)
    seed: int = option(1, "Seed for the weights, the order of the texts and the held-out rows.")
    threads: int = option(1, "CPU threads; results agree up to rounding.")
    device: str = option("cpu", "cpu (our own kernels), or a torch device such as cuda (plain torch).")

    def __post_init__(self) -> None:
        if self.p not in (1, 2, math.inf):
            raise InputError(f"p must be 1, 2 or inf, not {self.p}.")
        get_activation(self.activation)
        self.check_choices()
        self.check_positive("layers", "embedding_size", "filters", "kernel_size", "batch_size", "epochs", "threads")
        if not (self.learning_rate > 0 and math.isfinite(self.learning_rate)):
            raise InputError(f"learning_rate must be positive and finite, not {self.learning_rate}.")
        if not (0 < self.peak < 1 and 0 <= self.momentum < 1 and 0 <= self.deletion < 1 and self.penalty >= 0):
            raise InputError("peak must be in (0, 1), momentum and deletion in [0, 1), and penalty at least 0.")
        if not (0 < self.scale < math.inf and 0 <= self.margin < math.inf):
            raise InputError("scale must be positive, and margin at least 0.")
        if self.loss == "hinge" and self.margin == 0:
            raise InputError("The hinge loss needs a margin above 0, such as 2.")
        if self.samples < 0:
            raise InputError(f"samples must be at least 0, not {self.samples}.")
        if self.validation_rows < 0 or (self.cut is not None and self.cut < 1):
            raise InputError("validation_rows must be at least 0, and cut at least 1.")
        exact = self.layers == 1 and get_activation(self.activation).increasing
        if self.normaliser == "substitution" and not exact:
            raise InputError(
                "The exact substitution constant is known only for one layer with an increasing activation; "
                "use normaliser=norms."
            )

    @classmethod
    def preset(cls, name: str, dataset: str = "", **changes: Any) -> TrainingConfig:
        """Return a named configuration with some fields changed.

        ``paper``: kernel size 5 for SST-2, else 10; learning rate 100, or 0.01 unless 1-Lipschitz.  ``repaired``: the
        same network, divided by the cost of one edit that holds (docs/repaired.md).
        """
        if name not in PRESETS:
            raise InputError(f"There is no preset {name!r}; the presets are {', '.join(PRESETS)}.")
        base: dict[str, Any] = {"kernel_size": 5 if dataset == "sst2" else 10} | PRESETS[name]
        if name == "repaired" and dataset == "sst2":  # short texts have small margins (docs/repaired.md)
            base["margin"] = 1.0
        if changes.get("method", "lipschitz") != "lipschitz":
            base["learning_rate"] = 0.01
        return cls().changed(base | changes)


PRESETS: Final[dict[str, dict[str, Any]]] = {
    "paper": {},
    "repaired": {
        "normaliser": "edits",
        "constants": "each",
        "loss": "hinge",
        "margin": 2.5,
        "optimiser": "adam",
        "learning_rate": 0.003,
        "peak": 0.1,
        "epochs": 15,
    },
}
