"""Where texts come from: arguments, lines of stdin, or a file with columns."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from levcert.cli.dataset_inputs import BadRow, say_skipped
from levcert.errors import InputError

if TYPE_CHECKING:
    from levcert.text.alphabet import Text

Texts = Annotated[
    list[str] | None, typer.Argument(help="Texts; with none, or with -, one per line from stdin.", show_default=False)
]
File = Annotated[Path | None, typer.Option("-f", "--file", help="A csv, tsv, jsonl or parquet file with texts.")]

_STDIN = "-"


@dataclass(frozen=True)
class TextsIn:
    """Texts to be read once; ``kind`` says from where."""

    kind: Literal["arguments", "lines", "file"]
    texts: Iterator[Text]


def texts_in(texts: list[str] | None, file: Path | None, text_column: str, on_bad_row: BadRow) -> TextsIn:
    """Choose where texts come from; bad ones stop the work or are counted, as ``on_bad_row`` says."""
    if texts and file:
        raise InputError("Texts were given as arguments and as a file; give one of them.")
    if file:
        return TextsIn("file", _of_file(file, text_column, on_bad_row))
    if texts and texts != [_STDIN]:
        return TextsIn("arguments", iter(_checked(texts)))
    if sys.stdin is None or (not texts and sys.stdin.isatty()):
        raise InputError("There are no texts; give some as arguments, with --file, or through a pipe.")
    return TextsIn("lines", _of_lines(on_bad_row))


def _checked(texts: list[str]) -> list[str]:
    from levcert.datasets.readers import defect_of_text

    for number, text in enumerate(texts, 1):
        if defect := defect_of_text(text or None):
            raise InputError(f"text {number}: {defect}. Give at least one character of valid UTF-8.")
    return texts


def _of_file(path: Path, text_column: str, on_bad_row: BadRow) -> Iterator[Text]:
    from levcert.datasets import RowReader

    reader = RowReader(path, text_column, None, on_bad_row)
    for row in reader:
        yield row.text
    say_skipped(reader.skipped)


def _without_line_end(line: bytes) -> bytes:
    r"""Take off \n or \r\n, and nothing else: what a certificate speaks about is the text as it was given."""
    return line.removesuffix(b"\n").removesuffix(b"\r") if line.endswith(b"\n") else line


def _of_lines(on_bad_row: BadRow) -> Iterator[Text]:
    from levcert.datasets.readers import defect_of_text

    skipped: Counter[str] = Counter()
    for number, line in enumerate(sys.stdin.buffer, 1):
        # surrogateescape keeps bytes that are not UTF-8 apart from all characters, so that they are found
        text = _without_line_end(line).decode("utf-8", "surrogateescape")
        defect = defect_of_text(text or None)
        if not defect:
            yield text
        elif on_bad_row == "skip":
            skipped[defect] += 1
        else:
            cure = "Mend the line, or pass over bad ones with --on-bad-row skip."
            raise InputError(f"stdin: line {number}: {defect}. {cure}")
    say_skipped(skipped)
