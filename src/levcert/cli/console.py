"""Tables on the screen."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text as Styled

from levcert.text.alphabet import Text
from levcert.text.edits import Operation, edit_script

if TYPE_CHECKING:
    from levcert.datasets import Dataset


class _Console(Console):
    def on_broken_pipe(self) -> None:
        """Leave it to ``levcert.cli.exit_codes``, where rich would end the program with code 1."""
        raise


console = _Console(highlight=False)


def table(title: str, *columns: str) -> Table:
    """Return an empty table in our style; a column whose name begins with > is right-aligned."""
    result = Table(title=title, title_justify="left", title_style="bold", box=box.SIMPLE_HEAD, pad_edge=False)
    for column in columns:
        result.add_column(column.removeprefix(">"), justify="right" if column.startswith(">") else "left")
    return result


def list_datasets(descriptions: dict[str, str]) -> None:
    """Print the names of all datasets."""
    listing = table("Datasets", "name", "what it asks")
    for name, description in descriptions.items():
        listing.add_row(name, description)
    console.print(listing)


def describe_dataset(dataset: Dataset) -> None:
    """Print sizes, lengths and class shares of a dataset."""
    sizes = table(
        f"{dataset.name}  ({dataset.source})", "split", ">texts", ">shortest", ">mean", ">longest", ">symbols"
    )
    for name, split in (("train", dataset.train), ("test", dataset.test)):
        lengths = np.array([len(text) for text in split.texts])
        symbols = len(set().union(*split.texts))
        sizes.add_row(
            name,
            f"{len(split):,}",
            f"{lengths.min()}",
            f"{lengths.mean():.1f}",
            f"{lengths.max():,}",
            f"{symbols}",
        )
    console.print(sizes)
    shares = table("Labels", "label", ">train", ">test", "an example")
    for number, label in enumerate(dataset.labels):
        rows = [split.labels == number for split in (dataset.train, dataset.test)]
        first = int(np.argmax(rows[0]))
        shares.add_row(label, *(f"{row.sum():,}" for row in rows), _shortened(str(dataset.train.texts[first])))
    console.print(shares)


def printable(text: Text) -> str:
    """Return a text for the screen: control characters, and bytes that are no ASCII, as escapes."""
    if isinstance(text, bytes):
        return "".join(chr(byte) if 32 <= byte < 127 else f"\\x{byte:02x}" for byte in text)
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)


def shown_edits(text: Text, other: Text, context: int = 30) -> Styled:
    """Return the other text with its edits marked: [-deleted-] and {+inserted+}, coloured where there is colour.

    Stretches without an edit are shortened to ``context`` characters on either side.
    """
    parts: list[tuple[str, Text]] = []  # kind and content, in the order of the text

    def add(kind: str, content: Text) -> None:
        if parts and parts[-1][0] == kind:
            content = parts.pop()[1] + content  # type: ignore[operator]  # both are str or both bytes
        if content:
            parts.append((kind, content))

    copied = 0
    for edit in edit_script(text, other):
        add("same", text[copied : edit.position])
        copied = edit.position
        if edit.operation != Operation.INSERT:
            add("deleted", text[copied : copied + 1])
            copied += 1
        if edit.symbol is not None:
            add("inserted", edit.symbol)
    add("same", text[copied:])
    result = Styled()
    for number, (kind, content) in enumerate(parts):
        if kind == "deleted":
            result.append(f"[-{printable(content)}-]", style="red strike")
        elif kind == "inserted":
            result.append(f"{{+{printable(content)}+}}", style="bold green")
        else:
            before = context if number > 0 else 0
            after = context if number < len(parts) - 1 else 0
            result.append(_cut(content, before, after) if len(parts) > 1 else printable(content))
    return result


def _cut(content: Text, before: int, after: int) -> str:
    """Return so many characters from the beginning and from the end."""
    if len(content) <= before + after:
        return printable(content)
    return f"{printable(content[:before])}…{printable(content[len(content) - after :])}"


def _shortened(text: str, width: int = 60) -> str:
    line = " ".join(text.split())
    return line if len(line) <= width else line[: width - 1] + "…"
