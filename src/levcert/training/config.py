"""Every number of a training run, named, in one frozen object."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any, Final, Literal, get_args, get_type_hints

from levcert.errors import InputError
from levcert.files import existing_file
from levcert.models.activations import get_activation

Method = Literal["lipschitz", "penalty", "plain"]
Normaliser = Literal["norms", "substitution"]


def _option(default: Any, help_text: str) -> Any:
    return field(default=default, metadata={"help": help_text})


@dataclass(frozen=True)
class TrainingConfig:
    """The paper's recipe by default; ``TrainingConfig.preset("paper", "sst2")`` has its sizes for a dataset."""

    method: Method = _option("lipschitz", "lipschitz: every layer divided by its constant; penalty: + λ·G; plain.")
    p: float = _option(2.0, "Norm of the ERP distance: 1, 2 or inf.")
    normaliser: Normaliser = _option("norms", "Divide by the paper's norms, or by the exact substitution constant.")
    penalty: float = _option(0.0, "λ of the method penalty.")
    layers: int = _option(1, "Number of convolutions.")
    embedding_size: int = _option(150, "Dimension of the embedding.")
    filters: int = _option(100, "Filters of each convolution.")
    kernel_size: int = _option(10, "Characters that a convolution sees at once.")
    activation: str = _option("relu", "relu, leaky_relu, tanh or gelu.")
    pooling: Literal["sum", "mean"] = _option("sum", "How positions are pooled.")
    learning_rate: float = _option(100.0, "Largest learning rate of the triangular schedule.")
    peak: float = _option(0.4, "Share of the training after which the rate is largest.")
    momentum: float = _option(0.9, "Momentum of SGD.")
    batch_size: int = _option(128, "Texts per step.")
    epochs: int = _option(30, "Passes over the training texts.")
    deletion: float = _option(0.0, "Probability with which each character is deleted in training (for RS-Del).")
    cut: int | None = _option(None, "Use only so many first characters of each text; certificates then speak of those.")
    validation_rows: int = _option(0, "Training rows to set aside and report on.")
    seed: int = _option(1, "Seed of the weights, the order of texts and the rows set aside.")
    threads: int = _option(1, "CPU threads; the result is the same to rounding.")
    device: str = _option("cpu", "cpu (our kernels), or a torch device such as cuda (plain torch).")

    def __post_init__(self) -> None:
        if self.p not in (1, 2, math.inf):
            raise InputError(f"p is 1, 2 or inf, not {self.p}.")
        get_activation(self.activation)
        for name, hint in get_type_hints(type(self)).items():
            choices, value = get_args(hint), getattr(self, name)
            if choices and all(isinstance(choice, str) for choice in choices) and value not in choices:
                raise InputError(f"{name} is one of {', '.join(choices)}, not {value!r}.")
        for name in ("layers", "embedding_size", "filters", "kernel_size", "batch_size", "epochs", "threads"):
            if getattr(self, name) < 1:
                raise InputError(f"{name} is at least 1, not {getattr(self, name)}.")
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

    @classmethod
    def from_toml(cls, path: str | Path) -> dict[str, Any]:
        """Return the fields that a TOML file sets, checked to exist."""
        try:
            values = tomllib.loads(existing_file(path).read_text(encoding="utf-8"))
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise InputError(f"{path} is not a TOML file: {error}.") from None
        cls().changed(values)
        return values

    def changed(self, values: Mapping[str, Any]) -> TrainingConfig:
        """Return a copy with some fields changed; unknown names and wrong types are refused."""
        known = {f.name: f for f in fields(self)}
        for name, value in values.items():
            if name not in known:
                raise InputError(f"There is no training option {name!r}; there are {', '.join(known)}.")
            hint = get_type_hints(type(self))[name]
            kinds = [kind for kind in (get_args(hint) or (hint,)) if isinstance(kind, type)] or [str]
            wanted = (int, float) if float in kinds else tuple(kinds)
            if not isinstance(value, wanted) or isinstance(value, bool):
                raise InputError(f"The training option {name} cannot be {value!r}.")
        return replace(self, **values)

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as JSON can hold them."""
        return {name: "inf" if value == math.inf else value for name, value in asdict(self).items()}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> TrainingConfig:
        """Read what :meth:`to_dict` wrote."""
        return cls().changed({name: math.inf if value == "inf" else value for name, value in values.items()})


PRESETS: Final = ("paper",)
