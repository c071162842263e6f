"""What other installed packages add: certifiers, attacks, datasets and measures, registered as entry points.

A package names them in its pyproject.toml::

    [project.entry-points."levcert.certifiers"]
    always-zero = "my_package:AlwaysZero"
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib.metadata import entry_points
from typing import Any, Literal

from levcert.errors import InputError

Group = Literal["levcert.certifiers", "levcert.attacks", "levcert.datasets", "levcert.measures"]


def registered(group: Group, built_in: Mapping[str, Any]) -> dict[str, Any]:
    """Return what is built in, and the names of what is registered; what is built in wins."""
    others = {point.name: point for point in entry_points(group=group) if point.name not in built_in}
    return dict(built_in) | others


def looked_up(name: str, group: Group, built_in: Mapping[str, Any], what: str, hint: str = "") -> Any:
    """Return what is built in under a name, or load what another package registered under it."""
    if name in built_in:
        return built_in[name]
    known = registered(group, built_in)
    if name not in known:
        raise InputError(f"There is no {what} {name!r}; there are {', '.join(known)}{hint}.")
    try:
        return known[name].load()
    except Exception as error:
        raise InputError(f"The {what} {name!r} of {known[name].value} cannot be loaded: {error!r}.") from error
