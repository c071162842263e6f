"""How to certify and against whom, as options of several commands."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, ClassVar

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
Target = Annotated[
    str | None,
    typer.Option(help="One-sided: the only label that the attacker wants, such as ham; default: any other label."),
]


@dataclass(frozen=True)
class Attacker:
    """Which edits an attacker may make."""

    PANEL: ClassVar = "The attacker"
    operations: Annotated[
        str | None, typer.Option(help="What an attacker may do: some of insert,delete,substitute; default: all.")
    ] = None
    symbols: Annotated[
        str | None, typer.Option(help="The characters that an attacker may bring in; default: all of Unicode.")
    ] = None
    profile: Annotated[
        str | None,
        typer.Option(help="Who attacks: ocr, keyboard, leet, ascii, whitespace, or a .json file; default: anyone."),
    ] = None

    @cached_property
    def threat(self) -> Threat | None:
        """The threat of the flags; without any, None.  Operations and symbols override the profile's.

        With other symbols, it is not that profile any more, and outputs say its limits instead of its name.
        """
        from levcert.text.edits import OPERATIONS
        from levcert.text.profiles import profile as named_profile
        from levcert.text.threat import Threat

        if self.operations is None and self.symbols is None and self.profile is None:
            return None
        given = None if self.operations is None else frozenset(name.strip() for name in self.operations.split(","))
        if self.profile is not None:
            threat = named_profile(self.profile, given)  # type: ignore[arg-type]  # Threat rejects unknown operations
            return threat if self.symbols is None else replace(threat, symbols=self.symbols, profile=None)
        return Threat(OPERATIONS if given is None else given, self.symbols)  # type: ignore[arg-type]

    @property
    def options(self) -> dict[str, str]:
        """What a manifest says of a threat: in words, and in full, because two threats may have the same words."""
        from levcert.text.threat import ANY_EDIT

        whom = self.threat or ANY_EDIT
        return {"threat": str(whom), "threat in full": str(whom.to_dict())}
