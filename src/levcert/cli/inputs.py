"""What commands read: a model, texts (arguments, lines of stdin, files), and texts with labels (a dataset, files)."""

from __future__ import annotations

import glob
import hashlib
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from levcert.cli.exit_codes import say
from levcert.errors import InputError

if TYPE_CHECKING:
    from levcert.datasets import Dataset
    from levcert.datasets.sources import FileSource, LineSource, TextSource
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
File = Annotated[
    list[Path] | None,
    typer.Option(
        "-f", "--file",
        help="A file with texts (csv, tsv, txt, jsonl, json, parquet, xlsx; .gz, .zst), a folder or a pattern; may be "
        "repeated.",
    ),
]  # fmt: skip
Data = Annotated[
    str, typer.Argument(help="A dataset's name (see levcert datasets), or a file, a folder or a pattern of files.")
]
DataDir = Annotated[
    Path | None, typer.Option(help="Folder with ag_news/, sst2/, sms_spam/ and so on; default: $LEVCERT_DATA.")
]
TextColumn = Annotated[str, typer.Option(help="Column of the texts, for files.")]
LabelColumn = Annotated[str, typer.Option(help="Column of the labels, for files.")]
WeightColumn = Annotated[str | None, typer.Option(help="Column that says how much each row counts, for files.")]
OnBadRow = Annotated[BadRow, typer.Option(help="Stop at a row that cannot be used, or skip it.")]
Encoding = Annotated[
    str | None, typer.Option(help="Encoding of files, such as utf-8, utf-16 or cp1252; default: guessed.")
]
Delimiter = Annotated[str | None, typer.Option(help="What separates the columns of csv; default: guessed.")]
KeepColumns = Annotated[
    str | None, typer.Option(help="Other columns of the input to copy to the output, as a,b,c; all: all of them.")
]
ShardFlag = Annotated[
    str | None,
    typer.Option("--shard", help="Do only this part of the input, as 3/16; of 16 files or more, every 16th file."),
]

_STDIN = "-"


@dataclass(frozen=True)
class Reading:
    """How files are read: the flags of all commands that read some."""

    text_column: str = "text"
    on_bad_row: BadRow = "error"
    encoding: str | None = None
    delimiter: str | None = None
    keep_columns: str | None = None
    shard: str | None = None

    @property
    def options(self) -> dict[str, Any]:
        """What decides the rows of an output; that bad rows are skipped changes none of the others."""
        return {name: value for name, value in vars(self).items() if name != "on_bad_row" and value is not None}

    def files(
        self, given: Sequence[Path | str], *, label_column: str | None = None, limit: int | None = None,
        output: Path | None = None,
    ) -> FileSource:  # fmt: skip
        """Return the rows of files; say what was guessed about them."""
        from levcert.datasets.input_files import Shard, input_files
        from levcert.datasets.sources import FileSource

        keep: Any = "all" if self.keep_columns == "all" else ()
        if self.keep_columns not in (None, "all"):
            keep = tuple(dict.fromkeys(name.strip() for name in str(self.keep_columns).split(",") if name.strip()))
        source = FileSource(
            input_files(given, output), self.text_column, label_column, self.on_bad_row, self.encoding, self.delimiter,
            keep, None if self.shard is None else Shard.of(self.shard), limit,
        )  # fmt: skip
        for guess in source.guesses():
            say(guess)
        return source


@dataclass(frozen=True)
class TextsIn:
    """Texts to be read once; ``kind`` says from where."""

    kind: Literal["arguments", "lines", "file"]
    source: FileSource | LineSource | TextSource

    @property
    def texts(self) -> Iterator[Text]:
        for chunk in self.source.chunks():
            yield from chunk.texts
        say_skipped(self.source.skipped)

    @property
    def total(self) -> int | None:
        return self.source.expected(0)


@dataclass(frozen=True)
class LabelledIn:
    """Texts with their labels, to be read once."""

    source: FileSource | TextSource
    name: str

    @property
    def total(self) -> int | None:
        return self.source.expected(0)

    @property
    def rows(self) -> Iterator[tuple[Text, str]]:
        for chunk in self.source.chunks():
            yield from zip(chunk.texts, chunk.labels or (), strict=True)
        say_skipped(self.source.skipped)


def model_content(model: Path, trusted_key: Path | None) -> bytes:
    """Return the content of a model file, which workers load; what is returned is what was checked."""
    from levcert.files.signature import check_signature

    content = model.read_bytes()
    if trusted_key is not None:
        check_signature(model, content, trusted_key)
    return content


def texts_in(
    texts: list[str] | None, files: list[Path] | Path | None, reading: Reading | str = "text",
    on_bad_row: BadRow = "error", *, output: Path | None = None,
) -> TextsIn:  # fmt: skip
    """Choose where texts come from; bad ones stop the work or are skipped, as ``on_bad_row`` says.

    In place of ``reading`` the name of the text column may be given.
    """
    from levcert.datasets.sources import LineSource, TextSource

    reading = Reading(reading, on_bad_row) if isinstance(reading, str) else reading
    files = [files] if isinstance(files, Path) else files
    if texts and files:
        raise InputError("Texts were given both as arguments and as a file; give one or the other.")
    if files:
        return TextsIn("file", reading.files(files, output=output))
    for flag, value in (("--keep-columns", reading.keep_columns), ("--shard", reading.shard)):
        if value is not None:
            raise InputError(f"{flag} is for files; name some with --file.")
    if texts and texts != [_STDIN]:
        _reject_files(texts)
        return TextsIn("arguments", TextSource(_checked(texts), "arguments"))
    if sys.stdin is None or (not texts and sys.stdin.isatty()):
        raise InputError("There are no texts; give some as arguments, with --file, or through a pipe.")
    return TextsIn("lines", LineSource(sys.stdin.buffer, reading.on_bad_row))


def _reject_files(texts: list[str]) -> None:
    """Refuse the name of a file of rows in place of a text: whoever writes it means what is in the file."""
    from levcert.datasets.readers import ENDINGS

    for text in texts:
        if text.endswith(ENDINGS) and Path(text).is_file():
            raise InputError(
                f"{text} is a file; write --file {text} to read its texts, or a pipe to take the name as a text."
            )


def labelled_in(
    data: str, data_dir: Path | None, reading: Reading | str, label_column: str, on_bad_row: BadRow = "error",
    limit: int | None = None, output: Path | None = None,
) -> LabelledIn:  # fmt: skip
    """Read the test rows of a dataset, or all rows of a file, a folder or a pattern."""
    from levcert.datasets import is_file, load_dataset
    from levcert.datasets.sources import TextSource

    reading = Reading(reading, on_bad_row) if isinstance(reading, str) else reading
    if is_file(data) or Path(data).is_dir() or glob.has_magic(data):
        source = reading.files([data], label_column=label_column, limit=limit, output=output)
        return LabelledIn(source, Path(data).name)
    dataset = load_dataset(data, data_dir)
    test = dataset.test.take(slice(limit))
    labels = [dataset.labels[y] for y in test.labels]
    return LabelledIn(TextSource(test.texts, data, labels), f"the test set of {data}")


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
    from levcert.datasets import RowReader, dataset_from_files, is_file, load_dataset

    if not is_file(data):
        if weight_column is not None:
            raise InputError(f"The dataset {data} has no weights; --weight-column is for files.")
        return load_dataset(data, data_dir)
    for path in (Path(data), test):
        if path is not None and (guesses := RowReader(path, text_column, label_column).guesses()):
            say(f"{path}: guessed {', '.join(guesses)}".replace(" (--encoding)", "").replace(" (--delimiter)", ""))
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
    say_skipped(skipped)
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


def say_skipped(skipped: dict[str, int]) -> None:
    """Say how many bad rows were skipped, and why."""
    for reason, count in sorted(skipped.items(), key=lambda item: -item[1]):
        say(f"skipped {count:,} row{'s' * (count != 1)}: {reason}")


def _checked(texts: list[str]) -> list[str]:
    from levcert.datasets.readers import defect_of_text

    for number, text in enumerate(texts, 1):
        if defect := defect_of_text(text or None):
            raise InputError(f"text {number}: {defect}. Give at least one character of valid UTF-8.")
    return texts
