"""Where rows go: lines of a table on the screen, JSON lines, or a file."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from levcert.errors import InputError
from levcert.files.atomic import check_writable
from levcert.text.printable import printable

if TYPE_CHECKING:
    from rich.text import Text

_WIDEST: Final = 40  # characters of a column
Resume = Annotated[bool, typer.Option("--resume", help="Continue the interrupted run of this output file.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON: one object, or one per line.")]


def print_json(value: Any) -> None:
    """Print one object, in ASCII, at once: a pipe sees each line as it comes."""
    print_line(json.dumps(value))


def print_line(line: str) -> None:
    """Print a line at once; control characters, of a file's name or a label, as escapes."""
    print(printable(line), flush=True)


def rows_used(counts: dict[str, int]) -> str:
    """Say how many rows a training used, and what the others were for (``row_counts``)."""
    aside = [f"{counts[what]:,} for {what}" for what in ("validation", "test") if counts[what]]
    return f"trained on {counts['training']:,} rows" + f"; held out: {' and '.join(aside)}" * bool(aside)


def check_output(path: Path | None, *, resume: bool = False) -> None:
    """Refuse an output that could not be written, or resumed, before the work rather than after."""
    from levcert.files.row_files import check_ending

    if path is not None:
        check_ending(path)
        check_writable(path)
    elif resume:
        raise InputError("To resume, name with -o the output file of the interrupted run.")


@dataclass
class Lines:
    """A table that is printed row by row; the last column has no width and takes what the screen leaves."""

    widths: dict[str, int]
    numbers: tuple[str, ...] = ()  # columns that are right-aligned
    begun: bool = False

    def add(self, *cells: str | Text) -> None:
        """Print a row, and before the first one the names of the columns."""
        from levcert.cli.console import console

        if not self.begun:
            self.begun = True
            self._print(self.widths, style="bold")
        self._print(cells)
        console.file.flush()

    def _print(self, cells: Iterable[str | Text], style: str = "") -> None:
        from rich.text import Text

        from levcert.cli.console import console

        line = Text(style=style)
        for (name, width), cell in zip(self.widths.items(), cells, strict=True):
            part = cell.copy() if isinstance(cell, Text) else Text(printable(cell))
            if width:
                part.align("right" if name in self.numbers else "left", min(max(width, len(name)), _WIDEST))
                part.append("  ")
            line.append_text(part)
        # Whole lines in a pipe, lines cut at the edge of a screen.
        console.print(line, soft_wrap=not console.is_terminal, no_wrap=True, overflow="ellipsis")
