"""Tables, texts and edits on the screen."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text as Styled

from levcert.certificates.difference import difference, excerpt
from levcert.certificates.explain import meaning
from levcert.text.alphabet import Text

if TYPE_CHECKING:
    from levcert.certificates.certificate import Certificate
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
    listing = table("Datasets", "name", "task")
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
    shares = table("Labels", "label", ">train", ">test", "example")
    for number, label in enumerate(dataset.labels):
        rows = [split.labels == number for split in (dataset.train, dataset.test)]
        first = int(np.argmax(rows[0]))
        shares.add_row(label, *(f"{row.sum():,}" for row in rows), _shortened(str(dataset.train.texts[first])))
    console.print(shares)


def printable(text: Text) -> str:
    """Return a text for the screen: control characters, and bytes outside ASCII, as escapes."""
    if isinstance(text, bytes):
        return "".join(chr(byte) if 32 <= byte < 127 else f"\\x{byte:02x}" for byte in text)
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)


def shown_edits(text: Text, other: Text, context: int = 30) -> Styled:
    """Return the other text with its edits marked: [-deleted-] and {+inserted+}, coloured where there is colour.

    Stretches without an edit are shortened to ``context`` characters on either side.
    """
    result = Styled()
    for part in excerpt(difference(text, other), context, printable):
        if part.kind == "removed":
            result.append(f"[-{part.text}-]", style="red strike")
        elif part.kind == "added":
            result.append(f"{{+{part.text}+}}", style="bold green")
        else:
            result.append(part.text)
    return result


def print_certificate(certificate: Certificate) -> None:
    """Print what a certificate says and means, and its counterexample with the edits marked."""
    facts = {
        "label": Styled(certificate.label, style="bold"),
        "radius": Styled(f"{certificate.radius}  ({certificate.claim}, {certificate.method})"),
        "meaning": Styled(meaning(certificate)),
    }
    if certificate.counterexample is not None and certificate.upper:
        edits = f"{certificate.upper} edit{'s' * (certificate.upper != 1)}"
        found = "changed by" if certificate.target is None else "becomes so"
        facts[found] = Styled(f"{edits}:  ").append(shown_edits(certificate.text, certificate.counterexample))
    if certificate.class_radii is not None:
        radii = sorted(certificate.class_radii.items(), key=lambda item: item[1])
        facts["per class"] = Styled(", ".join(f"{label} {radius}" for label, radius in radii))
    console.print(Styled(printable(certificate.text)), soft_wrap=True)
    for name, fact in facts.items():
        console.print(Styled.assemble((f"  {name:<11}", "dim"), fact), soft_wrap=True)


def _shortened(text: str, width: int = 60) -> str:
    line = " ".join(text.split())
    return line if len(line) <= width else line[: width - 1] + "…"
