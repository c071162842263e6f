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

Profile = Annotated[
    str | None,
    typer.Option(help="Who attacks: ocr, keyboard, leet, ascii, whitespace, or a .json file; default: anyone."),
]


def threat_in(operations: str | None, symbols: str | None, profile: str | None = None) -> Threat | None:
    """Make the threat of the three options; without any, None.  Operations and symbols override the profile's.

    With other symbols, it is not that profile any more, and outputs say its limits instead of its name.
    """
    from dataclasses import replace

    from levcert.text.edits import OPERATIONS
    from levcert.text.profiles import profile as named_profile
    from levcert.text.threat import Threat

    if operations is None and symbols is None and profile is None:
        return None
    given = None if operations is None else frozenset(name.strip() for name in operations.split(","))
    if profile is not None:
        threat = named_profile(profile, given)  # type: ignore[arg-type]  # Threat rejects unknown operations
        return threat if symbols is None else replace(threat, symbols=symbols, profile=None)
    return Threat(OPERATIONS if given is None else given, symbols)  # type: ignore[arg-type]


def threat_options(threat: Threat | None) -> dict[str, str]:
    """Return what a manifest says of a threat: in words, and in full, because two threats may have the same words."""
    from levcert.text.threat import ANY_EDIT

    whom = threat or ANY_EDIT
    return {"threat": str(whom), "threat in full": str(whom.to_dict())}
