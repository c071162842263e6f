"""The attacker, as options of a command."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from levcert.text.threat import Threat

Operations = Annotated[
    str | None, typer.Option(help="What an attacker may do: some of insert,delete,substitute; default: all.")
]
Symbols = Annotated[
    str | None, typer.Option(help="The characters that an attacker may bring in; default: all of Unicode.")
]


def threat_in(operations: str | None, symbols: str | None) -> Threat:
    """Make the threat of the two options."""
    from levcert.text.edits import OPERATIONS
    from levcert.text.threat import Threat

    given = OPERATIONS if operations is None else frozenset(name.strip() for name in operations.split(","))
    return Threat(given, symbols)  # type: ignore[arg-type]  # Threat refuses what is no operation
