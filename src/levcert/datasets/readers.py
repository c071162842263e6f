"""Read the rows of csv, tsv, JSON lines and parquet files one at a time; errors name the line of a bad row."""

from __future__ import annotations

import csv
import gzip
import json
import math
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, Final, Literal, cast

from levcert.errors import InputError
from levcert.files.atomic import existing_file
from levcert.files.row_files import LONGEST_FIELD
from levcert.text.alphabet import Text

Fields = dict[str, Any]


@dataclass(frozen=True)
class Row:
    """A text, its label and weight if there are any, and the line (parquet: row) of the file where it begins."""

    line: int
    text: Text
    label: str | None
    weight: float | None = None


@dataclass
class RowReader:
    r"""Iterate over the rows of a file without loading it into memory.

    The extension sets the format: ``.csv``, ``.tsv`` (tabs, no quoting), ``.jsonl``, each also with ``.gz``, or
    ``.parquet``.  A bad row raises an error with its line number; with ``on_bad_row="skip"`` it is skipped
    and counted by reason in ``skipped``.  Labels may be strings or integers; they are returned as strings.

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

    def __post_init__(self) -> None:
        if self.on_bad_row not in ("error", "skip"):
            raise InputError(f"on_bad_row must be error or skip, not {self.on_bad_row!r}.")

    def __iter__(self) -> Iterator[Row]:
        path = existing_file(self.path)
        open_file, read = _format(path)
        try:
            with open_file(path) as file:
                for line, fields, defect in read(file, self._columns):
                    row = self._row(line, fields, defect)
                    if row is not None:
                        yield row
        except (OSError, EOFError, zlib.error) as error:
            raise InputError(f"Cannot read all of {path}: {error}. The file is damaged or truncated.") from None
        except InputError as error:
            raise InputError(f"{path}: {error}") from None

    @property
    def _columns(self) -> list[str]:
        return [column for column in (self.text_column, self.label_column, self.weight_column) if column]

    def _row(self, line: int, fields: Fields, defect: str | None) -> Row | None:
        text, label = fields.get(self.text_column) or self.missing_text, None
        defect = defect or defect_of_text(text)
        if self.label_column and not defect:
            label = fields.get(self.label_column)
            defect = _defect_of_label(label)
        weight = None
        if self.weight_column and not defect:
            weight = _weight(fields.get(self.weight_column))
            defect = None if weight is not None else "the weight is not a number of at least 0"
        if not defect:
            return Row(line, cast(Text, text), None if label is None else str(label), weight)
        if self.on_bad_row == "error":
            raise InputError(f"line {line}: {defect}. Fix the row, or skip bad rows with --on-bad-row skip.")
        self.skipped[defect] += 1
        return None


def defect_of_text(text: Any) -> str | None:
    """Return what is wrong with a text, if anything."""
    if text is None:
        return "missing text"
    if isinstance(text, str):
        # surrogateescape puts these in place of bytes that are not UTF-8
        return "bad encoding, the text is not UTF-8" if _has_escaped_bytes(text) else None
    return None if isinstance(text, bytes) else "the text is not a string"


def _defect_of_label(label: Any) -> str | None:
    if label is None or label == "":
        return "missing label"
    if isinstance(label, bool) or not isinstance(label, str | int):
        return "the label is neither a string nor an integer"
    return "bad encoding, the label is not UTF-8" if _has_escaped_bytes(str(label)) else None


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


Rows = Iterator[tuple[int, Fields, str | None]]  # line, fields by column, what is wrong with the row


def _check_columns(wanted: list[str], present: list[str]) -> None:
    for column in wanted:
        if present.count(column) > 1:
            raise InputError(f"There are {present.count(column)} columns named {column!r}; give them different names.")
        if column not in present:
            raise InputError(
                f"There is no column {column!r}; the columns are {', '.join(map(repr, present)) or 'none'}. "
                "Choose with --text-column, --label-column and --weight-column."
            )


def _read_csv(file: IO[str], wanted: list[str]) -> Rows:
    csv.field_size_limit(LONGEST_FIELD)  # for the whole process: the csv module has no other way
    reader = csv.reader(file, strict=True)
    try:
        header = next(reader, [])
    except csv.Error as error:
        raise InputError(f"The first line does not name the columns ({error}).") from None
    _check_columns(wanted, header)
    while True:
        line = reader.line_num + 1
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            yield line, {}, f"not a valid row ({error})"
            continue
        if cells:  # not an empty line
            yield line, *_fields(header, cells)


def _read_tsv(file: IO[str], wanted: list[str]) -> Rows:
    """Read rows that end only at a newline: a lone carriage return is part of its cell."""
    header: list[str] = []
    for line, content in enumerate(file, 1):
        row = content.removesuffix("\n").removesuffix("\r") if content.endswith("\n") else content
        if line == 1:
            header = row.split("\t")
            _check_columns(wanted, header)
        elif len(row) > LONGEST_FIELD:
            yield line, {}, f"not a valid row (longer than {LONGEST_FIELD:,} characters)"
        elif row:
            yield line, *_fields(header, row.split("\t"))
    if not header:
        _check_columns(wanted, [])


def _fields(header: list[str], cells: list[str]) -> tuple[Fields, str | None]:
    """Return the cells by column, and what is wrong with the row."""
    defect = None if len(cells) == len(header) else f"{len(cells)} columns instead of {len(header)}"
    return dict(zip(header, cells, strict=False)), defect


def _read_jsonl(file: IO[str], wanted: list[str]) -> Rows:
    for line, content in enumerate(file, 1):
        if not content.strip():
            continue
        try:
            fields = json.loads(content)
        except (ValueError, RecursionError):
            yield line, {}, "not valid JSON"
            continue
        if not isinstance(fields, dict):
            yield line, {}, "not a JSON object"
            continue
        missing = [column for column in wanted if column not in fields]
        yield line, fields, f"no field {missing[0]!r}" if missing else None


def _read_parquet(file: IO[bytes], wanted: list[str]) -> Rows:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        parquet = pq.ParquetFile(file)
        _check_columns(wanted, parquet.schema_arrow.names)
        line = 0
        for batch in parquet.iter_batches(batch_size=4096, columns=wanted):
            columns = [batch.column(name).to_pylist() for name in wanted]
            for values in zip(*columns, strict=True):
                line += 1
                yield line, dict(zip(wanted, values, strict=True)), None
    except pa.ArrowException as error:
        raise InputError(f"This is not a complete parquet file ({error}).") from None


def _open_text(path: Path) -> IO[str]:
    # newline="\n" leaves carriage returns alone, inside and outside quotes; utf-8-sig skips a byte-order mark
    opener: Callable[..., IO[str]] = gzip.open if path.suffix == ".gz" else open
    return opener(path, "rt", encoding="utf-8-sig", errors="surrogateescape", newline="\n")


def _open_bytes(path: Path) -> IO[bytes]:
    return path.open("rb")


_FORMATS: Final[dict[str, tuple[Callable[[Path], IO[Any]], Callable[[IO[Any], list[str]], Rows]]]] = {
    ".csv": (_open_text, _read_csv),
    ".csv.gz": (_open_text, _read_csv),
    ".tsv": (_open_text, _read_tsv),
    ".tsv.gz": (_open_text, _read_tsv),
    ".jsonl": (_open_text, _read_jsonl),
    ".jsonl.gz": (_open_text, _read_jsonl),
    ".parquet": (_open_bytes, _read_parquet),
}


def _format(path: Path) -> tuple[Callable[[Path], IO[Any]], Callable[[IO[Any], list[str]], Rows]]:
    ending = "".join(path.suffixes[-2:]) if path.suffix == ".gz" else path.suffix
    if ending not in _FORMATS:
        raise InputError(f"Cannot read {path}: its name must end in {', '.join(_FORMATS)}.")
    return _FORMATS[ending]
