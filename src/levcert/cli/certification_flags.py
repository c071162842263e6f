"""How to certify and against whom, as options of several commands."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from levcert.text.threat import Threat

Method = Annotated[
    str, typer.Option(help="auto, exact, refine, chains, lipschitz, lipslev, interval, smoothing, brute-force.")
]
MaxDistance = Annotated[int | None, typer.Option(help="Stop at this radius (faster).")]
Budget = Annotated[
    float | None, typer.Option(help="Seconds for each text; after that, return the best proof found so far.")
]
Operations = Annotated[
    str | None, typer.Option(help="What an attacker may do: some of insert,delete,substitute; default: all.")
]
Symbols = Annotated[
    str | None, typer.Option(help="The characters that an attacker may bring in; default: all of Unicode.")
]
Target = Annotated[
    str | None,
    typer.Option(help="One-sided: the only label that the attacker wants, such as ham; default: any other label."),
]


def threat_in(operations: str | None, symbols: str | None) -> Threat | None:
    """Make the threat of the two options; without any, None."""
    from levcert.text.edits import OPERATIONS
    from levcert.text.threat import Threat

    if operations is None and symbols is None:
        return None
    given = OPERATIONS if operations is None else frozenset(name.strip() for name in operations.split(","))
    return Threat(given, symbols)  # type: ignore[arg-type]  # Threat rejects unknown operations
