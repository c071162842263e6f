"""How the files of a command are read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

import typer

from levcert.cli.exit_codes import say

if TYPE_CHECKING:
    from levcert.datasets.sources import FileSource


@dataclass(frozen=True)
class Reading:
    """The flags of all commands that read files."""

    PANEL: ClassVar = "Files"
    text_column: Annotated[str, typer.Option(help="Column of the texts, for files.")] = "text"
    on_bad_row: Annotated[
        Literal["error", "skip"], typer.Option(help="Stop at a row that cannot be used, or skip it.")
    ] = "error"
    encoding: Annotated[
        str | None, typer.Option(help="Encoding of files, such as utf-8, utf-16 or cp1252; default: guessed.")
    ] = None
    delimiter: Annotated[str | None, typer.Option(help="What separates the columns of csv; default: guessed.")] = None

    def files(
        self, given: Sequence[Path | str], *, label_column: str | None = None, limit: int | None = None,
        output: Path | None = None,
    ) -> FileSource:  # fmt: skip
        """Return the rows of files; say what was guessed about them."""
        from levcert.datasets.input_files import input_files
        from levcert.datasets.sources import FileSource

        source = FileSource(
            input_files(given, output), self.text_column, label_column, self.on_bad_row, self.encoding, self.delimiter,
            limit=limit, **self._choice(),
        )  # fmt: skip
        for guess in source.guesses():
            say(guess)
        return source

    def _choice(self) -> dict[str, Any]:
        """Return which rows and columns of the files are wanted: all rows, no other columns."""
        return {}


@dataclass(frozen=True)
class RunReading(Reading):
    """The flags of commands that write one row for each row they read."""

    keep_columns: Annotated[
        str | None, typer.Option(help="Other columns of the input to copy to the output, as a,b,c; all: all of them.")
    ] = None
    shard: Annotated[
        str | None, typer.Option(help="Do only this part of the input, as 3/16; of 16 files or more, every 16th file.")
    ] = None

    @property
    def options(self) -> dict[str, Any]:
        """What decides the rows of an output; that bad rows are skipped changes none of the others."""
        return {name: value for name, value in vars(self).items() if name != "on_bad_row" and value is not None}

    def _choice(self) -> dict[str, Any]:
        from levcert.datasets.input_files import Shard

        names = (name.strip() for name in (self.keep_columns or "").split(","))
        return {
            "keep": "all" if self.keep_columns == "all" else tuple(dict.fromkeys(filter(None, names))),
            "shard": None if self.shard is None else Shard.of(self.shard),
        }
