"""Command-line flags made from the fields of the training configurations, so that each exists in one place."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import fields
from types import NoneType
from typing import Annotated, Any, Literal, get_args, get_origin, get_type_hints

import typer
from rich.markup import escape

from levcert.cli.flag_groups import with_flags
from levcert.training.model_families import CONFIGURATIONS


def config_options(command: Callable[..., None]) -> Callable[..., None]:
    """Replace the parameter ``options`` of a command by one flag per field of the training configurations.

    The command gets the flags that were given as a dictionary.
    """
    flags = _flags()
    names = {flag.name for flag in flags}
    kept = [p for p in inspect.signature(command, eval_str=True).parameters.values() if p.name != "options"]

    def prepared(values: dict[str, Any]) -> dict[str, Any]:
        given = {name: values.pop(name) for name in list(values) if name in names}
        return values | {"options": {name: value for name, value in given.items() if value is not None}}

    return with_flags(command, kept + flags, prepared)


def _flags() -> list[inspect.Parameter]:
    """Return one flag per name; flags of one family only stand under a heading of their own in ``--help``."""
    found: dict[str, list[str]] = {}
    for family, kind in CONFIGURATIONS.items():
        for field in fields(kind):
            found.setdefault(field.name, []).append(family)
    return [_flag(name, families) for name, families in found.items()]


def _flag(name: str, families: list[str]) -> inspect.Parameter:
    kinds = [CONFIGURATIONS[family] for family in families]
    own = [next(field for field in fields(kind) if field.name == name) for kind in kinds]
    defaults = [_shown(field.default) for field in own]
    shared = len(families) == len(CONFIGURATIONS)
    different = ", ".join(f"{family}: {value}" for family, value in zip(families, defaults, strict=True))
    helps = dict(zip(families, (field.metadata["help"] for field in own), strict=True))
    one = len(set(helps.values())) == 1
    option = typer.Option(
        help=escape(own[0].metadata["help"] if one else "  ".join(f"{name}: {text}" for name, text in helps.items())),
        show_default=(own[0].default is not None and defaults[0]) if len(set(defaults)) == 1 else different,
        rich_help_panel="Training, both models" if shared else f"Training, --model {families[0]}",
    )
    hint = _flag_type(get_type_hints(kinds[0])[name])
    return inspect.Parameter(
        name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=Annotated[hint | None, option]
    )


def _shown(default: Any) -> str:
    return ",".join(map(str, default)) if isinstance(default, tuple) else str(default)


def _flag_type(hint: Any) -> Any:
    """Return the type of a flag: choices and lists are checked by the configuration itself."""
    if get_origin(hint) in (Literal, tuple):
        return str
    return next((kind for kind in get_args(hint) if kind is not NoneType), hint)
