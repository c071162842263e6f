"""What commands read: texts (arguments, lines of stdin, files), and texts with labels (a dataset, files)."""

from __future__ import annotations

import glob
import hashlib
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

import typer

from levcert.cli.exit_codes import say
from levcert.cli.reading_flags import Reading, RunReading
from levcert.errors import InputError

if TYPE_CHECKING:
    from levcert.datasets import Dataset
    from levcert.datasets.sources import FileSource, LineSource, TextSource
    from levcert.models.window import WindowModel
    from levcert.text.alphabet import Text

DataDir = Annotated[
    Path | None, typer.Option(help="Folder with ag_news/, sst2/, sms_spam/ and so on; default: $LEVCERT_DATA.")
]
TestFile = Annotated[Path | None, typer.Option(help="A test file; without it, a tenth of the rows is held out.")]
WeightColumn = Annotated[str | None, typer.Option(help="Column that says how much each row counts, for files.")]

_STDIN: Final = "-"


@dataclass(frozen=True)
class GivenTexts:
    """Texts without labels."""

    texts: Annotated[
        list[str] | None,
        typer.Argument(help="Texts; with none, or with -, one per line from stdin.", show_default=False),
    ] = None
    file: Annotated[
        list[Path] | None,
        typer.Option(
            "-f", "--file",
            help="A file with texts (csv, tsv, txt, jsonl, json, parquet, xlsx; .gz, .zst), a folder or a pattern; "
            "may be repeated.",
        ),
    ] = None  # fmt: skip

    def read(self, reading: RunReading, output: Path | None = None) -> TextsIn:
        """Choose where the texts come from."""
        from levcert.datasets.sources import LineSource, TextSource

        texts, files = self.texts, self.file
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


@dataclass(frozen=True)
class GivenData:
    """Texts with labels: the name of a dataset, or files."""

    data: Annotated[
        str, typer.Argument(help="A dataset's name (see levcert datasets), or a file, a folder or a pattern of files.")
    ]
    label_column: Annotated[str, typer.Option(help="Column of the labels, for files.")] = "label"
    data_dir: DataDir = None

    def __str__(self) -> str:
        return self.data

    def labelled(self, reading: Reading, limit: int | None = None, output: Path | None = None) -> LabelledIn:
        """Read the test rows of a dataset, or all rows of a file, a folder or a pattern."""
        from levcert.datasets import load_dataset
        from levcert.datasets.sources import TextSource

        if self._is_file or Path(self.data).is_dir() or glob.has_magic(self.data):
            source = reading.files([self.data], label_column=self.label_column, limit=limit, output=output)
            return LabelledIn(source, Path(self.data).name)
        dataset = load_dataset(self.data, self.data_dir)
        test = dataset.test.take(slice(limit))
        labels = [dataset.labels[y] for y in test.labels]
        return LabelledIn(TextSource(test.texts, self.data, labels), f"the test set of {self.data}")

    def to_train_on(self, reading: Reading, test: Path | None = None, weight_column: str | None = None) -> Dataset:
        """Load a dataset by name or from files; say on stderr how many bad rows were skipped."""
        from levcert.datasets import RowReader, dataset_from_files, load_dataset

        if not self._is_file:
            if weight_column is not None:
                raise InputError(f"The dataset {self.data} has no weights; --weight-column is for files.")
            return load_dataset(self.data, self.data_dir)
        how: dict[str, Any] = {
            "text_column": reading.text_column, "label_column": self.label_column, "encoding": reading.encoding,
            "delimiter": reading.delimiter,
        }  # fmt: skip
        for path in (Path(self.data), test):
            if path is not None and (guesses := RowReader(path, **how).guesses()):
                say(f"{path}: guessed {', '.join(guesses)}")
        skipped: Counter[str] = Counter()
        dataset = dataset_from_files(
            self.data, test, weight_column=weight_column, on_bad_row=reading.on_bad_row, skipped=skipped, **how
        )
        say_skipped(skipped)
        return dataset

    def remember_in(self, model: WindowModel) -> None:
        """Let a model know the file that it was trained on, so that nobody takes its training rows for a test."""
        if self._is_file:
            record = model.training
            model.training = replace(record, data={**record.data, "file": self._digest()})

    def warn_if_trained_on(self, model: WindowModel) -> None:
        """Say so if the rows to measure a model on are those that it was trained on."""
        known = model.training.data.get("file")
        if known and self._is_file and self._digest() == known:
            say(f"{self.data} is the file that this model was trained on, so the figures flatter it; use other rows.")

    @property
    def _is_file(self) -> bool:
        from levcert.datasets import is_file

        return is_file(self.data)

    def _digest(self) -> str:
        with open(self.data, "rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()


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


def say_skipped(skipped: dict[str, int]) -> None:
    """Say how many bad rows were skipped, and why."""
    for reason, count in sorted(skipped.items(), key=lambda item: -item[1]):
        say(f"skipped {count:,} row{'s' * (count != 1)}: {reason}")


def _reject_files(texts: list[str]) -> None:
    """Reject the name of a file of rows in place of a text: whoever writes it means what is in the file."""
    from levcert.datasets.readers import ENDINGS

    for text in texts:
        if text.endswith(ENDINGS) and Path(text).is_file():
            raise InputError(
                f"{text} is a file; write --file {text} to read its texts, or a pipe to take the name as a text."
            )


def _checked(texts: list[str]) -> list[str]:
    from levcert.datasets.readers import defect_of_text

    for number, text in enumerate(texts, 1):
        if defect := defect_of_text(text or None):
            raise InputError(f"text {number}: {defect}. Give at least one character of valid UTF-8.")
    return texts
