"""What commands read: a model, texts (arguments, lines of stdin, a file), and texts with labels (a dataset, a file)."""

from __future__ import annotations

import hashlib
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from levcert.cli.exit_codes import say
from levcert.errors import InputError

if TYPE_CHECKING:
    from levcert.datasets import Dataset
    from levcert.models.window import WindowModel
    from levcert.text.alphabet import Text

BadRow = Literal["error", "skip"]

ModelFile = Annotated[Path, typer.Argument(help="A model file, as written by levcert train.")]
TrustedKey = Annotated[
    Path | None,
    typer.Option(help="An Ed25519 public key (PEM): use the model only if its file MODEL.sig is a signature by it."),
]
Texts = Annotated[
    list[str] | None, typer.Argument(help="Texts; with none, or with -, one per line from stdin.", show_default=False)
]
File = Annotated[Path | None, typer.Option("-f", "--file", help="A csv, tsv, jsonl or parquet file with texts.")]
Data = Annotated[str, typer.Argument(help="A dataset's name (see levcert datasets), or a csv/tsv/jsonl/parquet file.")]
DataDir = Annotated[
    Path | None, typer.Option(help="Folder with ag_news/, sst2/, imdb/, fake_news/; default: $LEVCERT_DATA.")
]
TextColumn = Annotated[str, typer.Option(help="Column of the texts, for files.")]
LabelColumn = Annotated[str, typer.Option(help="Column of the labels, for files.")]
WeightColumn = Annotated[str | None, typer.Option(help="Column that says how much each row counts, for files.")]
OnBadRow = Annotated[BadRow, typer.Option(help="Stop at a row that cannot be used, or skip it.")]

_STDIN = "-"


@dataclass(frozen=True)
class TextsIn:
    """Texts to be read once; ``kind`` says from where."""

    kind: Literal["arguments", "lines", "file"]
    texts: Iterator[Text]
    total: int | None = None  # None: not known before the end


@dataclass(frozen=True)
class LabelledIn:
    """Texts with their labels, to be read once."""

    rows: Iterator[tuple[Text, str]]
    total: int | None
    name: str


def texts_in(texts: list[str] | None, file: Path | None, text_column: str, on_bad_row: BadRow) -> TextsIn:
    """Choose where texts come from; bad ones stop the work or are skipped, as ``on_bad_row`` says."""
    if texts and file:
        raise InputError("Texts were given both as arguments and as a file; give one or the other.")
    if file:
        return TextsIn("file", _of_file(file, text_column, on_bad_row))
    if texts and texts != [_STDIN]:
        return TextsIn("arguments", iter(_checked(texts)), len(texts))
    if sys.stdin is None or (not texts and sys.stdin.isatty()):
        raise InputError("There are no texts; give some as arguments, with --file, or through a pipe.")
    return TextsIn("lines", _of_lines(on_bad_row))


def labelled_in(
    data: str, data_dir: Path | None, text_column: str, label_column: str, on_bad_row: BadRow
) -> LabelledIn:
    """Read the test rows of a dataset, or all rows of a file."""
    from levcert.datasets import RowReader, is_file, load_dataset

    if not is_file(data):
        dataset = load_dataset(data, data_dir)
        test = dataset.test
        labelled = ((text, dataset.labels[y]) for text, y in zip(test.texts, test.labels, strict=True))
        return LabelledIn(labelled, len(test), f"the test set of {data}")

    def rows() -> Iterator[tuple[Text, str]]:
        reader = RowReader(data, text_column, label_column, on_bad_row)
        for row in reader:
            yield row.text, str(row.label)
        _say_skipped(reader.skipped)

    return LabelledIn(rows(), None, Path(data).name)


def load_data(
    data: str,
    data_dir: Path | None,
    test: Path | None,
    text_column: str,
    label_column: str,
    on_bad_row: BadRow,
    weight_column: str | None = None,
) -> Dataset:
    """Load a dataset by name or from files; say on stderr how many bad rows were skipped."""
    from levcert.datasets import dataset_from_files, is_file, load_dataset

    if not is_file(data):
        if weight_column is not None:
            raise InputError(f"The dataset {data} has no weights; --weight-column is for files.")
        return load_dataset(data, data_dir)
    skipped: Counter[str] = Counter()
    dataset = dataset_from_files(
        data,
        test,
        text_column=text_column,
        label_column=label_column,
        weight_column=weight_column,
        on_bad_row=on_bad_row,
        skipped=skipped,
    )
    _say_skipped(skipped)
    return dataset


def remember_file(model: WindowModel, data: str) -> None:
    """Let a model know the file that it was trained on, so that nobody takes its training rows for a test."""
    from levcert.datasets import is_file

    if is_file(data):
        record = model.training
        model.training = replace(record, data={**record.data, "file": _digest(data)})


def warn_of_training_rows(model: WindowModel, data: str) -> None:
    """Say so if the rows to measure a model on are those that it was trained on."""
    from levcert.datasets import is_file

    known = model.training.data.get("file")
    if known and is_file(data) and _digest(data) == known:
        say(f"{data} is the file that this model was trained on, so these figures promise too much. Use other rows.")


def _digest(path: str) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


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
    _say_skipped(reader.skipped)


def _of_lines(on_bad_row: BadRow) -> Iterator[Text]:
    from levcert.datasets.readers import defect_of_text

    skipped: Counter[str] = Counter()
    for number, line in enumerate(sys.stdin.buffer, 1):
        # surrogateescape maps bytes that are not UTF-8 to surrogates, which no character is, so that they are found
        text = _without_line_end(line).decode("utf-8", "surrogateescape")
        defect = defect_of_text(text or None)
        if not defect:
            yield text
        elif on_bad_row == "skip":
            skipped[defect] += 1
        else:
            raise InputError(f"stdin: line {number}: {defect}. Fix the line, or skip bad lines with --on-bad-row skip.")
    _say_skipped(skipped)


def _without_line_end(line: bytes) -> bytes:
    r"""Take off \n or \r\n, and nothing else: a certificate is about the text exactly as it was given."""
    return line.removesuffix(b"\n").removesuffix(b"\r") if line.endswith(b"\n") else line


def _say_skipped(skipped: Counter[str]) -> None:
    """Say how many bad rows were skipped, and why."""
    for reason, count in skipped.most_common():
        say(f"skipped {count:,} row{'s' * (count != 1)}: {reason}")
