"""The two model families by name, and their configurations; does not import numpy, for the command line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Literal

from levcert.errors import InputError
from levcert.training.base_config import Configuration
from levcert.training.conv.config import TrainingConfig
from levcert.training.votes.config import VoteConfig

if TYPE_CHECKING:
    from levcert.datasets import Dataset

Family = Literal["votes", "conv"]
CONFIGURATIONS: Final[dict[str, type[Configuration]]] = {"votes": VoteConfig, "conv": TrainingConfig}


def configured(model: str, dataset: Dataset, options: dict[str, Any]) -> Configuration:
    """Return the configuration of a family for a dataset, with some options set; ``preset`` may be one of them."""
    from levcert.training.data import resolved_class_weight

    check_options(model, options)
    config: VoteConfig | TrainingConfig
    if model == "conv":
        changes = {name: value for name, value in options.items() if name != "preset"}
        config = TrainingConfig.preset(options.get("preset", "paper"), dataset.name, **changes)
    else:
        config = VoteConfig().changed(options).aimed(len(dataset.train), frozenset(options))
    return config.changed({"class_weight": resolved_class_weight(config.class_weight, dataset.train)})


def check_options(model: str, options: dict[str, Any]) -> None:
    """Reject an unknown family, and options of the other family."""
    if model not in CONFIGURATIONS:
        raise InputError(f"The model must be one of {', '.join(CONFIGURATIONS)}, not {model!r}.")
    if "preset" in options and model != "conv":
        raise InputError(f"Presets belong to the model conv, not to {model}; choose --model conv.")
    for name in options:
        families = [family for family, kind in CONFIGURATIONS.items() if name in kind.__dataclass_fields__]
        if families and model not in families:
            raise InputError(
                f"The option {name} belongs to the model {families[0]}, not to {model}; use --model {families[0]}."
            )
