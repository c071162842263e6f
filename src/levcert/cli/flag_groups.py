"""Flags that several commands share, as dataclasses: a command has one parameter for a group, ``--help`` every flag."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from copy import copy
from dataclasses import MISSING, Field, fields, is_dataclass
from functools import wraps
from typing import Annotated, Any, Final, get_args, get_type_hints

from typer.models import OptionInfo

_BY_NAME: Final = inspect.Parameter.KEYWORD_ONLY


def with_flag_groups(command: Callable[..., None]) -> Callable[..., None]:
    """Replace each parameter whose type is a dataclass by one flag per field; the command gets the object.

    The fields are annotated as flags are, ``Annotated[type, typer.Option(...)]``, so a flag is written down in one
    place.  What the object checks when it is made is checked before the command begins.  A group that has a ``PANEL``
    stands under that heading in ``--help``.
    """
    parameters = inspect.signature(command, eval_str=True).parameters.values()
    groups: dict[str, Any] = {p.name: p.annotation for p in parameters if is_dataclass(p.annotation)}
    flags = [flag for p in parameters for flag in (_flags(groups[p.name]) if p.name in groups else [p])]

    def grouped(arguments: dict[str, Any]) -> dict[str, Any]:
        made = {
            name: group(**{field.name: arguments.pop(field.name) for field in fields(group)})
            for name, group in groups.items()
        }
        return arguments | made

    return with_flags(command, flags, grouped)


def with_flags(
    command: Callable[..., None],
    flags: Iterable[inspect.Parameter],
    prepared: Callable[[dict[str, Any]], dict[str, Any]],
) -> Callable[..., None]:
    """Return a command with these flags; ``prepared`` makes of their values the arguments of ``command``."""

    @wraps(command)
    def wrapped(**values: Any) -> None:
        command(**prepared(values))

    # By name only, so that flags with defaults may come before arguments without.
    parameters = [flag.replace(kind=_BY_NAME) for flag in flags]
    wrapped.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    wrapped.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return wrapped


def _flags(group: Any) -> list[inspect.Parameter]:
    hints = get_type_hints(group, include_extras=True)
    flags = []
    for field in fields(group):
        kind, note = get_args(hints[field.name])
        annotation: Any = Annotated[kind, _under(getattr(group, "PANEL", None), note)]
        flags.append(inspect.Parameter(field.name, _BY_NAME, default=_default(field), annotation=annotation))
    return flags


def _under(panel: str | None, note: Any) -> Any:
    if panel is None or not isinstance(note, OptionInfo):
        return note
    note = copy(note)
    note.rich_help_panel = panel
    return note


def _default(field: Field[Any]) -> Any:
    return inspect.Parameter.empty if field.default is MISSING else field.default
