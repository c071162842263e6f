"""Rows of files in blocks of columns, a megabyte at a time: csv, tsv, JSON, JSON lines, parquet, Excel, lines of text.

Each reader is told which columns to take after it has seen their names; it names rows that are not valid, and continues
with the next one.
"""

from __future__ import annotations

import csv
import io
import json
import re
import zipfile
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, field
from functools import partial
from itertools import chain, count, islice
from operator import itemgetter
from pathlib import Path
from typing import Any, Final

from levcert.datasets.text_files import TextFile, TooLong, guess_delimiter
from levcert.errors import InputError
from levcert.files import row_files

_ROWS: Final = 2048  # in a block, at most
_CHARACTERS: Final = 1 << 20
_LARGEST_WORKBOOK: Final = 1 << 30  # bytes, unpacked: it must be in memory

Choose = Callable[[list[str]], list[str]]  # the columns there are → the columns to take


@dataclass
class Block:
    """Rows of a file as columns.  ``lines`` are for people, ``rows`` number the rows; ``defects`` by index."""

    lines: list[int] = field(default_factory=list)
    rows: list[int] = field(default_factory=list)
    columns: dict[str, list[Any]] = field(default_factory=dict)
    defects: dict[int, str] = field(default_factory=dict)


class _Collector:
    """Collects rows until they are a block."""

    def __init__(self, names: list[str]) -> None:
        self.names = names
        self._row = count(1)
        self.given = 0  # blocks
        self._empty: list[Any] = [None] * len(names)
        self._reset()

    def _reset(self) -> None:
        self.lines: list[int] = []
        self.rows: list[list[Any]] = []
        self.defects: dict[int, str] = {}
        self.characters = 0

    def bad(self, line: int, defect: str) -> None:
        self.defects[len(self.lines)] = defect
        self.lines.append(line)
        self.rows.append(self._empty)

    @property
    def full(self) -> bool:
        return len(self.lines) >= _ROWS or self.characters >= _CHARACTERS

    def block(self, places: list[int] | None = None) -> Block:
        """Return the rows as columns, and begin with the next block; ``places`` are those of the names in a row."""
        indices = range(len(self.names)) if places is None else places
        columns = {name: list(map(itemgetter(i), self.rows)) for name, i in zip(self.names, indices, strict=True)}
        numbers = list(islice(self._row, len(self.lines)))
        block = Block(self.lines, numbers, columns, self.defects)
        self._reset()
        self.given += 1
        return block


def too_long() -> str:
    return f"not a valid row (longer than {row_files.LONGEST_FIELD:,} characters)"


def read_csv(file: TextFile, choose: Choose, delimiter: str | None, wanted: list[str]) -> Iterator[Block]:
    """Read csv; without a delimiter, guess it from the header.

    Some 100,000 characters at a time are parsed at once.  If a row in them is not one line, or is bad, they are parsed
    again, row by row, up to the end of the row in which they end.
    """
    csv.field_size_limit(row_files.LONGEST_FIELD)  # for the whole process: the csv module has no other way
    lines = _CsvLines(file.blocks())
    first = next(lines, "")
    lines.put_back(first)
    parsed = partial(csv.reader, strict=True, delimiter=delimiter or guess_delimiter(first, wanted))
    reader = parsed(lines)
    try:
        header = next(reader, [])
    except csv.Error as error:
        raise InputError(f"The first line does not name the columns ({error}).") from None
    collector = _Collector(choose(header))
    width, places = len(header), [header.index(name) for name in collector.names]
    collector._empty = [None] * width
    line = reader.line_num
    while True:
        while lines.left:
            line = yield from _rows_one_by_one(parsed(lines), lines, line, collector, width, places)
        block = lines.next_block()
        if not block:
            break
        rows = _plain_rows(parsed(io.StringIO(block, newline="\n")), block, width)
        if rows is None:
            lines.put_back(block)
            continue
        collector.rows, collector.lines = rows, list(range(line + 1, line + 1 + len(rows)))
        line += len(rows)
        yield collector.block(places)
    if not collector.given:
        yield collector.block(places)


class _CsvLines:
    """Lines for the csv module, and how many of the present block are left."""

    def __init__(self, blocks: Iterator[str]) -> None:
        self._blocks = blocks
        self._lines: Iterator[str] = iter(())
        self.left = 0

    def __iter__(self) -> _CsvLines:
        return self

    def __next__(self) -> str:
        if not self.left:
            block = next(self._blocks)
            self.put_back(block)
        self.left -= 1
        return next(self._lines)

    def put_back(self, text: str) -> None:
        """Give these lines next, and then what is left."""
        count = text.count("\n") + (not text.endswith("\n") and text != "")
        self._lines, self.left = chain(io.StringIO(text, newline="\n"), self._lines), self.left + count

    def next_block(self) -> str:
        """Return the next block; "" at the end.  No line of the one before may be left."""
        return next(self._blocks, "")


def _plain_rows(reader: Iterator[list[str]], block: str, width: int) -> list[list[str]] | None:
    """Return the rows of a block of lines if each line is a row of this width."""
    try:
        rows = list(reader)
    except csv.Error:
        return None
    lines = block.count("\n") + (not block.endswith("\n"))
    return rows if len(rows) == lines and set(map(len, rows)) == {width} else None


def _rows_one_by_one(
    reader: Any, lines: _CsvLines, before: int, collector: _Collector, width: int, places: list[int]
) -> Generator[Block, None, int]:
    """Give the rows of the lines that are left; return the number of the last line."""
    characters = 0
    while lines.left:
        line = before + reader.line_num + 1
        try:
            cells = next(reader, None)
        except csv.Error as error:
            collector.bad(line, f"not a valid row ({error})")
            continue
        if cells is None:
            break
        if len(cells) == width:
            collector.rows.append(cells)
            collector.lines.append(line)
            characters += sum(map(len, cells))
        elif cells:  # not an empty line
            collector.bad(line, f"{len(cells)} columns instead of {width}")
        if len(collector.rows) >= _ROWS or characters >= _CHARACTERS:
            yield collector.block(places)
            characters = 0
    if collector.rows:
        yield collector.block(places)
    return before + int(reader.line_num)


def read_tsv(file: TextFile, choose: Choose) -> Iterator[Block]:
    """Read rows that end only at a newline: a lone carriage return is part of its cell."""
    collector: _Collector | None = None
    width, places = 0, []
    for line, content in enumerate(file.lines(), 1):
        row = without_end(content)
        if collector is None:
            header = row.split("\t")
            collector = _Collector(choose(header))
            width, places = len(header), [header.index(name) for name in collector.names]
            collector._empty = [None] * width
            continue
        cells = row.split("\t")
        if isinstance(content, TooLong):
            collector.bad(line, too_long())
        elif len(cells) != width and row:
            collector.bad(line, f"{len(cells)} columns instead of {width}")
        elif row:
            collector.rows.append(cells)
            collector.lines.append(line)
            collector.characters += len(row)
        if collector.full:
            yield collector.block(places)
    if collector is None:
        choose([])
    else:
        yield collector.block(places)


def read_txt(file: TextFile, choose: Choose) -> Iterator[Block]:
    """Read one text per line; the column is called ``text``."""
    collector = _Collector(choose(["text"]))
    for line, content in enumerate(file.lines(), 1):
        if isinstance(content, TooLong):
            collector.bad(line, too_long())
        else:
            collector.rows.append([without_end(content)])
            collector.lines.append(line)
            collector.characters += len(content)
        if collector.full:
            yield collector.block([0] * len(collector.names))
    yield collector.block([0] * len(collector.names))


def read_jsonl(file: TextFile, choose: Choose) -> Iterator[Block]:
    """Read one JSON object per line."""

    def values() -> Iterator[tuple[int, int, Any, str | None]]:
        for line, content in enumerate(file.lines(), 1):
            if isinstance(content, TooLong):
                yield line, 0, None, too_long()
            elif content.strip():
                try:
                    yield line, len(content), json.loads(content), None
                except (ValueError, RecursionError):
                    yield line, len(content), None, "not valid JSON"

    return _of_objects(values(), choose)


def read_json(file: TextFile, choose: Choose) -> Iterator[Block]:
    """Read an array of JSON objects, or objects one after the other, without holding all of them."""
    return _of_objects(_values(file), choose)


def _values(file: TextFile) -> Iterator[tuple[int, int, Any, str | None]]:
    decode = json.JSONDecoder().raw_decode
    between = re.compile(r"[\s,\[\]]*")
    text, line, wanted = "", 1, _CHARACTERS
    while True:
        more = file.file.read(wanted)
        text += more
        position = 0
        while True:
            start = between.match(text, position).end()  # type: ignore[union-attr]
            line += text.count("\n", position, start)
            position = start
            if start == len(text):
                break
            try:
                value, end = decode(text, start)
            except RecursionError:
                raise InputError(f"line {line}: the JSON is nested too deeply.") from None
            except ValueError:
                if not more:
                    raise InputError(f"line {line}: not valid JSON.") from None
                break
            if end == len(text) and more:
                break  # a number at the end may go on
            yield line, end - start, value, None
            line += text.count("\n", start, end)
            position = end
        text = text[position:]
        if not more:
            return
        if len(text) > row_files.LONGEST_FIELD:
            raise InputError(f"line {line}: {too_long()}.")
        wanted = max(_CHARACTERS, len(text))  # doubles, so that a long value is not parsed too often


def _of_objects(values: Iterator[tuple[int, int, Any, str | None]], choose: Choose) -> Iterator[Block]:
    collector: _Collector | None = None
    early: list[tuple[int, str]] = []  # bad rows before the first object
    required: list[str] = []
    for line, size, value, found in values:
        defect = found or (None if isinstance(value, dict) else "not a JSON object")
        if collector is None:
            if defect:
                early.append((line, defect))
                continue
            names = choose(list(value))
            collector = _Collector(names)
            for number, what in early:
                collector.bad(number, what)
            required = names
        if defect:
            collector.bad(line, defect)
        elif missing := [name for name in required if name not in value]:
            collector.bad(line, f"no field {missing[0]!r}")
        else:
            collector.rows.append([value[name] for name in required])
            collector.lines.append(line)
            collector.characters += size
        if collector.full:
            yield collector.block()
    if collector is None:
        collector = _Collector([])
        for number, what in early:
            collector.bad(number, what)
    yield collector.block()


def read_parquet(path: Path, choose: Choose) -> Iterator[tuple[Block, float]]:
    """Read a parquet file; lines are rows.  Each block comes with the share of the rows that have been read."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(path) as parquet:
            names = choose(parquet.schema_arrow.names)
            first = 1
            for batch in parquet.iter_batches(batch_size=_ROWS, columns=names):
                numbers = list(range(first, first + batch.num_rows))
                first += batch.num_rows
                columns = {name: _python_values(batch.column(name)) for name in names}
                yield Block(numbers, list(numbers), columns), (first - 1) / parquet.metadata.num_rows
    except (pa.ArrowException, UnicodeDecodeError) as error:  # UnicodeDecodeError: of the name of a column
        raise InputError(f"This is not a complete parquet file ({error}).") from None


def _python_values(column: Any) -> list[Any]:
    """Return the values of a parquet column; bytes that are not UTF-8 as surrogates, so that they are found."""
    import pyarrow as pa

    try:
        values: list[Any] = column.to_pylist()
    except UnicodeDecodeError:
        raw = column.cast(pa.binary()).to_pylist()
        values = [None if value is None else value.decode("utf-8", "surrogateescape") for value in raw]
    return values


def read_excel(path: Path, choose: Choose) -> Iterator[Block]:
    """Read the first sheet of an Excel workbook; its first row names the columns."""
    try:
        import python_calamine
    except ImportError:
        raise InputError("Excel files need python-calamine; install levcert[excel].") from None
    try:
        with zipfile.ZipFile(path) as archive:
            unpacked = sum(entry.file_size for entry in archive.infolist())
        if unpacked > _LARGEST_WORKBOOK:
            raise InputError(f"The workbook has {unpacked:,} bytes, unpacked; save its sheet as csv.")
        rows = python_calamine.CalamineWorkbook.from_path(str(path)).get_sheet_by_index(0).to_python()
    except (zipfile.BadZipFile, python_calamine.CalamineError) as error:
        raise InputError(f"This is not a complete Excel workbook ({error}).") from None
    header = [str(cell) for cell in rows[0]] if rows else []
    collector = _Collector(choose(header))
    places = [header.index(name) for name in collector.names]
    for line, row in enumerate(rows[1:], 2):
        cells = [int(cell) if isinstance(cell, float) and cell.is_integer() else cell for cell in row]
        if any(cell != "" for cell in cells):
            collector.rows.append(cells)
            collector.lines.append(line)
        if collector.full:
            yield collector.block(places)
    yield collector.block(places)


def without_end(line: str) -> str:
    r"""Take off \n or \r\n, and nothing else: a certificate is about the text exactly as it was given."""
    return line.removesuffix("\n").removesuffix("\r") if line.endswith("\n") else line
