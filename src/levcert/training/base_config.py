"""What all training configurations share: help texts, changes by name, reading TOML, and storing as JSON."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any, Final, Self, get_args, get_origin, get_type_hints

from levcert.errors import InputError
from levcert.files.atomic import existing_file

CLASS_WEIGHT_HELP: Final = (
    "balanced: give rare classes as much weight as common ones; none: do not; "
    "auto: balanced if some class is at least twice as common as another."
)

SAMPLES_HELP: Final = "Texts of each class to keep in the model file, as samples for the page; 0: none."
CALIBRATION_HELP: Final = (
    "auto: fit the temperature of the probabilities to the validation rows{}; none: do not. Labels stay the same."
)


def option(default: Any, help_text: str) -> Any:
    """Return a field of a configuration, with the text that ``--help`` shows."""
    return field(default=default, metadata={"help": help_text})


@dataclass(frozen=True)
class Configuration:
    """Options of a training run; subclasses check their values in ``__post_init__``."""

    @classmethod
    def from_toml(cls, path: str | Path) -> dict[str, Any]:
        """Return the fields that a TOML file sets; unknown names are rejected."""
        try:
            values = tomllib.loads(existing_file(path).read_text(encoding="utf-8"))
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise InputError(f"{path} is not a TOML file: {error}.") from None
        cls().changed(values)
        return values

    def changed(self, values: Mapping[str, Any]) -> Self:
        """Return a copy with some fields changed; unknown names and wrong types are rejected."""
        known = {f.name: f for f in fields(self)}
        for name, value in values.items():
            if name not in known:
                raise InputError(f"There is no training option {name!r}; the options are {', '.join(known)}.")
            hint = get_type_hints(type(self))[name]
            kinds = [kind for kind in (get_args(hint) or (hint,)) if isinstance(kind, type)] or [str]
            wanted: tuple[type, ...] = (int, float) if float in kinds else tuple(kinds)
            if get_origin(hint) is tuple:
                wanted = (str, list, tuple)
            if not isinstance(value, wanted) or isinstance(value, bool):
                raise InputError(f"{value!r} is not a valid value for the training option {name}.")
        return replace(self, **values)

    def to_dict(self) -> dict[str, Any]:
        """Return the fields in a form that JSON can hold."""
        return {name: "inf" if value == math.inf else value for name, value in asdict(self).items()}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Read what :meth:`to_dict` wrote."""
        return cls().changed({name: math.inf if value == "inf" else value for name, value in values.items()})

    def check_choices(self) -> None:
        """Reject a value that is not one of the choices of its field."""
        for name, hint in get_type_hints(type(self)).items():
            choices, value = get_args(hint), getattr(self, name)
            if choices and all(isinstance(choice, str) for choice in choices) and value not in choices:
                raise InputError(f"{name} must be one of {', '.join(choices)}, not {value!r}.")

    def check_positive(self, *names: str) -> None:
        """Reject an integer below 1."""
        for name in names:
            if getattr(self, name) < 1:
                raise InputError(f"{name} must be at least 1, not {getattr(self, name)}.")
