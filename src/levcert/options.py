"""Command-line flags made from the fields of the training configuration, so that each exists in one place."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import fields
from functools import wraps
from types import NoneType
from typing import Annotated, Any, Literal, get_args, get_origin, get_type_hints

import typer

from levcert.training.config import TrainingConfig


def config_options(command: Callable[..., None]) -> Callable[..., None]:
    """Replace the parameter ``options`` of a command by one flag per field of TrainingConfig.

    The command gets the flags that were given as a dictionary.
    """
    hints = get_type_hints(TrainingConfig)
    flags = [
        inspect.Parameter(
            field.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=None,
            annotation=Annotated[
                _flag_type(hints[field.name]) | None,
                typer.Option(help=field.metadata["help"], show_default=str(field.default)),
            ],
        )
        for field in fields(TrainingConfig)
    ]
    names = {flag.name for flag in flags}

    @wraps(command)
    def wrapped(**arguments: Any) -> None:
        given = {name: arguments.pop(name) for name in list(arguments) if name in names}
        command(**arguments, options={name: value for name, value in given.items() if value is not None})

    signature = inspect.signature(command, eval_str=True)
    kept = [parameter for parameter in signature.parameters.values() if parameter.name != "options"]
    parameters = [p.replace(kind=inspect.Parameter.KEYWORD_ONLY) for p in kept] + flags
    wrapped.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    wrapped.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return wrapped


def _flag_type(hint: Any) -> Any:
    """Return the type of a flag: choices are checked by the configuration itself."""
    if get_origin(hint) is Literal:
        return str
    return next((kind for kind in get_args(hint) if kind is not NoneType), hint)
