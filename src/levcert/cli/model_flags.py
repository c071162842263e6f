"""The model of a command, and the key that must have signed it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from levcert.models.window import WindowModel

ModelFile = Annotated[Path, typer.Argument(help="A model file, as written by levcert train.")]
TrustedKey = Annotated[
    Path | None,
    typer.Option(help="An Ed25519 public key (PEM): use the model only if its file MODEL.sig is a signature by it."),
]


@dataclass(frozen=True)
class GivenModel:
    """A model file."""

    model: ModelFile
    trusted_key: TrustedKey = None

    def __str__(self) -> str:
        return str(self.model)

    @property
    def name(self) -> str:
        """The name of the file, without its folder."""
        return self.model.name

    def load(self) -> WindowModel:
        """Load the model; the signature is checked first."""
        from levcert.models.load import load

        return load(self.model, trusted_key=self.trusted_key)

    @cached_property
    def content(self) -> bytes:
        """The content of the file, which workers load; what they get is what was checked."""
        from levcert.files.signature import check_signature

        content = self.model.read_bytes()
        if self.trusted_key is not None:
            check_signature(self.model, content, self.trusted_key)
        return content
