"""Read the rows of files one at a time or in blocks; errors name the line of a bad row."""

from __future__ import annotations

import math
import zlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal, cast

from levcert.datasets import row_blocks
from levcert.datasets.row_blocks import Block
from levcert.datasets.text_files import COMPRESSED, TextFile, guess_delimiter, open_text, shown_encoding
from levcert.errors import InputError
from levcert.files.atomic import existing_file
from levcert.text.alphabet import Text

ALL_COLUMNS: Final = "all"

_TEXT_FORMATS: Final = (".csv", ".tsv", ".txt", ".jsonl", ".json")
_OTHER_FORMATS: Final = (".parquet", ".xlsx")
ENDINGS: Final = (*_TEXT_FORMATS, *(f"{ending}{packed}" for packed in COMPRESSED for ending in _TEXT_FORMATS),
                  *_OTHER_FORMATS)  # fmt: skip


@dataclass(frozen=True)
class Row:
    """A text, its label and weight if there are any, and the line (parquet, Excel: row) where it begins."""

    line: int
    text: Text
    label: str | None
    weight: float | None = None


@dataclass(frozen=True)
class ReadRows:
    """Rows that can be used, as columns: ``rows`` are their numbers in the file, bad rows counted, from 1."""

    lines: list[int]
    rows: list[int]
    texts: list[Text]
    labels: list[str] | None
    kept: dict[str, list[Any]]
    weights: list[float] | None = None


@dataclass
class RowReader:
    r"""Iterate over the rows of a file without loading it into memory.

    The extension sets the format: ``.csv``, ``.tsv`` (tabs, no quoting), ``.jsonl``, ``.json``, ``.txt`` (one text per
    line), each also with ``.gz`` or ``.zst``, ``.parquet`` or ``.xlsx``.  A bad row raises an error with its line
    number; with ``on_bad_row="skip"`` it is skipped and counted by reason in ``skipped``.  Labels may be strings or
    integers; they are returned as strings.  The encoding, and what separates the columns of csv, are guessed unless
    they are given.

    Examples:
        >>> from pathlib import Path
        >>> _ = Path("mails.csv").write_text("body,topic\nwin a prize,spam\n")
        >>> [(row.text, row.label) for row in levcert.RowReader("mails.csv", "body", "topic")]
        [('win a prize', 'spam')]
    """

    path: str | Path
    text_column: str = "text"
    label_column: str | None = "label"
    on_bad_row: Literal["error", "skip"] = "error"
    missing_text: str | None = None  # used in place of a missing text; None: the row is bad
    skipped: Counter[str] = field(default_factory=Counter)
    weight_column: str | None = None
    encoding: str | None = None  # None: guess
    delimiter: str | None = None  # of csv; None: guess
    keep: tuple[str, ...] | Literal["all"] = ()  # other columns to return
    share_read: float = field(default=0.0, init=False)  # of the bytes of the file
    _shown: str = field(default="UTF-8", init=False)

    def __post_init__(self) -> None:
        if self.on_bad_row not in ("error", "skip"):
            raise InputError(f"on_bad_row must be error or skip, not {self.on_bad_row!r}.")
        if self.delimiter is not None and (len(self.delimiter) != 1 or self.delimiter in '"\r\n'):
            raise InputError(f"A delimiter is one character, not {self.delimiter!r}.")

    def __iter__(self) -> Iterator[Row]:
        for block in self.blocks():
            labels = block.labels if block.labels is not None else [None] * len(block.texts)
            weights = block.weights if block.weights is not None else [None] * len(block.texts)
            yield from map(Row, block.lines, block.texts, labels, weights)

    def blocks(self) -> Iterator[ReadRows]:
        """Give the rows in blocks of columns, which is faster."""
        path = existing_file(self.path)
        try:
            for block in self._raw_blocks(path):
                usable, stopped = self._usable(block)
                yield usable
                if stopped is not None:
                    raise stopped
        except (OSError, EOFError, zlib.error) as error:
            raise InputError(f"Cannot read all of {path}: {error}. The file is damaged or truncated.") from None
        except UnicodeError:
            raise InputError(f"{path}: the file is not {self._shown}; choose with --encoding.") from None
        except InputError as error:
            raise InputError(f"{path}: {error}") from None

    def guesses(self) -> list[str]:
        """Say what was guessed about the file, where that is not what everyone expects: UTF-8, and commas in csv."""
        path = existing_file(self.path)
        format_ = _format(path)
        if format_ not in _TEXT_FORMATS:
            return []
        said = []
        try:
            with open_text(path, self.encoding) as file:
                if file.guessed and file.encoding != "utf-8-sig":
                    said.append(f"encoding {file.encoding} (--encoding)")
                if format_ == ".csv" and self.delimiter is None:
                    found = guess_delimiter(next(file.lines(), ""), self._wanted)
                    if found != ",":
                        said.append(f"columns separated by {'tabs' if found == chr(9) else found!r} (--delimiter)")
        except (OSError, EOFError, zlib.error, UnicodeError):
            return []  # reading the rows says what is wrong
        return said

    def columns(self) -> list[str]:
        """Return the columns other than the text: those of the header, or of the first JSON object."""
        found: list[str] = []

        def look(present: list[str]) -> list[str]:
            found.extend(present)
            raise _SeenError

        path = existing_file(self.path)
        try:
            next(self._raw_blocks(path, look), None)
        except _SeenError:
            pass
        except (OSError, EOFError, zlib.error, UnicodeError) as error:
            raise InputError(f"Cannot read all of {path}: {error}. The file is damaged or truncated.") from None
        return [name for name in found if name != self.text_column]

    @property
    def _wanted(self) -> list[str]:
        return [column for column in (self.text_column, self.label_column, self.weight_column) if column]

    @property
    def _flags(self) -> dict[str | None, str]:
        """The flag that names each column, for advice that the command can take."""
        return {
            self.weight_column: "--weight-column",
            self.label_column: "--label-column",
            self.text_column: "--text-column",
        }

    def _names(self, present: list[str]) -> list[str]:
        """Return the columns to read, each once."""
        others = present if self.keep == ALL_COLUMNS else self.keep
        return list(dict.fromkeys([*self._wanted, *others]))

    def _checked_names(self, present: list[str]) -> list[str]:
        names = self._names(present)
        _check_columns(names, present, self._flags)
        return names

    def _raw_blocks(self, path: Path, choose: row_blocks.Choose | None = None) -> Iterator[Block]:
        format_ = _format(path)
        checked = choose or self._checked_names
        if format_ == ".parquet":
            for block, self.share_read in row_blocks.read_parquet(path, checked):
                yield block
        elif format_ == ".xlsx":
            yield from row_blocks.read_excel(path, checked)
        else:
            with open_text(path, self.encoding) as file:
                self._shown = shown_encoding(file.encoding)
                for block in self._text_blocks(file, format_, checked, choose or self._names):
                    self.share_read = file.share()
                    yield block
        self.share_read = 1.0

    def _text_blocks(
        self, file: TextFile, format_: str, checked: row_blocks.Choose, names: row_blocks.Choose
    ) -> Iterator[Block]:
        if format_ == ".csv":
            return row_blocks.read_csv(file, checked, self.delimiter, self._wanted)
        if format_ == ".tsv":
            return row_blocks.read_tsv(file, checked)
        if format_ == ".txt":
            return row_blocks.read_txt(file, self._names_of_txt if checked == self._checked_names else checked)
        return (row_blocks.read_jsonl if format_ == ".jsonl" else row_blocks.read_json)(file, names)

    def _names_of_txt(self, present: list[str]) -> list[str]:
        """A line is a text, for any name of the column; other columns do not exist."""
        _check_columns([name for name in self._names([]) if name != self.text_column], present, self._flags)
        return [self.text_column]

    def _usable(self, block: Block) -> tuple[ReadRows, InputError | None]:
        """Return the rows that can be used; with ``on_bad_row="error"``, those before a bad one, and the error."""
        texts = block.columns.get(self.text_column, [None] * len(block.lines))
        if self.missing_text is not None:
            texts = [text or self.missing_text for text in texts]
        labels = block.columns.get(self.label_column, [None] * len(texts)) if self.label_column else None
        weights = None
        if self.weight_column:
            weights = [_weight(value) for value in block.columns.get(self.weight_column, [None] * len(texts))]
        kept = {} if not self.keep else {name: c for name, c in block.columns.items() if name not in self._taken}
        bad, last, stopped = block.defects, len(texts), None
        fine = all_fine(texts) and (labels is None or all_fine(labels)) and (weights is None or None not in weights)
        if bad or not fine:
            bad = dict(self._defects(block.defects, texts, labels, weights))
            for index, defect in sorted(bad.items()):
                if self.on_bad_row == "error":
                    line, last = block.lines[index], index
                    advice = "Fix the row, or skip bad rows with --on-bad-row skip."
                    stopped = InputError(f"line {line}: {defect}. {advice}")
                    break
                self.skipped[defect] += 1
        if not bad:
            strings = None if labels is None else list(map(str, labels))
            return ReadRows(block.lines, block.rows, texts, strings, kept, cast(Any, weights)), None
        good = [index for index in range(last) if index not in bad]

        def chosen(column: list[Any]) -> list[Any]:
            return [column[index] for index in good]

        rows = ReadRows(
            chosen(block.lines), chosen(block.rows), chosen(texts),
            None if labels is None else list(map(str, chosen(labels))),
            {name: chosen(column) for name, column in kept.items()},
            None if weights is None else chosen(weights),
        )  # fmt: skip
        return rows, stopped

    @property
    def _taken(self) -> tuple[str, ...]:
        """Columns that are read but not kept: the text, and the label unless it is named."""
        named = self.keep if self.keep != ALL_COLUMNS else ()
        return tuple(name for name in self._wanted if name not in named)

    def _defects(
        self, found: dict[int, str], texts: list[Any], labels: list[Any] | None, weights: list[Any] | None
    ) -> Iterator[tuple[int, str]]:
        for index, text in enumerate(texts):
            defect = found.get(index) or defect_of_text(text or None, self._shown)
            if not defect and labels is not None:
                defect = _defect_of_label(labels[index], self._shown)
            if not defect and weights is not None and weights[index] is None:
                defect = "the weight is not a number of at least 0"
            if defect:
                yield index, defect


class _SeenError(Exception):
    """Ends the reading of a file whose columns are known."""


def all_fine(values: list[Any]) -> bool:
    """Say quickly whether all values are strings that are not empty and hold no escaped bytes."""
    if "" in values or not set(map(type, values)) <= {str}:
        return False
    everything = "".join(values)
    if everything.isascii():
        return True
    try:
        everything.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def defect_of_text(text: Any, encoding: str = "UTF-8") -> str | None:
    """Return what is wrong with a text, if anything."""
    if text is None:
        return "missing text"
    if isinstance(text, str):
        # surrogateescape puts these in place of bytes that are not in the encoding
        return f"bad encoding, the text is not {encoding}" if _has_escaped_bytes(text) else None
    return None if isinstance(text, bytes) else "the text is not a string"


def _defect_of_label(label: Any, encoding: str) -> str | None:
    if label is None or label == "":
        return "missing label"
    if isinstance(label, bool) or not isinstance(label, str | int):
        return "the label is neither a string nor an integer"
    return f"bad encoding, the label is not {encoding}" if _has_escaped_bytes(str(label)) else None


def _weight(value: Any) -> float | None:
    """Return a weight, or None if it is not a finite number of at least 0."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    try:
        weight = float(value)
    except (ValueError, OverflowError):
        return None
    return weight if math.isfinite(weight) and weight >= 0 else None


def _has_escaped_bytes(text: str) -> bool:
    return not text.isascii() and any("\udc80" <= character <= "\udcff" for character in text)


def _check_columns(wanted: list[str], present: list[str], flags: dict[str | None, str]) -> None:
    for column in wanted:
        if present.count(column) > 1:
            raise InputError(f"There are {present.count(column)} columns named {column!r}; give them different names.")
        if column not in present:
            raise InputError(
                f"There is no column {column!r}; the columns are {', '.join(map(repr, present)) or 'none'}. "
                f"Choose with {flags.get(column, '--keep-columns')}."
            )


def _format(path: Path) -> str:
    """Return the ending that sets the format, without that of the compression."""
    ending = "".join(path.suffixes[-2:]) if path.suffix in COMPRESSED else path.suffix
    if ending not in ENDINGS:
        raise InputError(
            f"Cannot read {path}: its name must end in {', '.join((*_TEXT_FORMATS, *_OTHER_FORMATS))}, "
            f"or in {' or '.join(COMPRESSED)} after one of the first five."
        )
    return Path(ending).stem if path.suffix in COMPRESSED else ending
