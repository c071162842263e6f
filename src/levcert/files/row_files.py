"""Rows with named columns as files: csv, JSON lines and parquet, in constant memory."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from levcert.errors import InputError
from levcert.files.atomic import atomic_path, existing_file
from levcert.files.row_encoders import ENCODERS, HEX, Columns, Table, arrow_batch, arrow_schema, in_bytes

if TYPE_CHECKING:
    import pyarrow as pa

Record = dict[str, Any]

LONGEST_FIELD: Final = 1 << 26  # a longer one is an unclosed quote; without a limit it would swallow the file
_ROWS_AT_ONCE: Final = 4096
_ROW_GROUP: Final = 1 << 16  # rows in a group of a parquet file


def write_records(records: Iterable[Record], columns: Columns, path: Path) -> None:
    """Write rows in the format that the file's extension names, completely or not at all."""
    check_ending(path)
    pieces = _tables(records, columns)
    with atomic_path(path) as part:
        if path.suffix == ".parquet":
            _write_parquet(pieces, columns, part)
        else:
            _write_lines(pieces, columns, path.suffix, part)


def read_records(path: Path, columns: Columns) -> Iterator[Record]:
    """Read the rows of a file; from csv, all columns that are not texts come as strings."""
    check_ending(path)
    return _READERS[path.suffix](existing_file(path), columns)


def check_ending(path: Path) -> None:
    """Reject a file whose extension is not one of the formats."""
    if path.suffix not in _READERS:
        raise InputError(f"Unknown file type: {path}. The name must end in {', '.join(_READERS)}.")


def write_parquet(batches: Iterable[pa.RecordBatch], schema: pa.Schema, path: Path) -> None:
    """Write batches of any sizes as a parquet file; its bytes depend on the rows only, not on where batches end."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    waiting: list[pa.RecordBatch] = []
    count = 0
    with pq.ParquetWriter(path, schema, compression="zstd") as writer:
        for batch in batches:
            waiting.append(batch)
            count += batch.num_rows
            while count >= _ROW_GROUP:
                table = pa.Table.from_batches(waiting, schema)
                writer.write_table(table.slice(0, _ROW_GROUP).combine_chunks(), _ROW_GROUP)
                waiting, count = table.slice(_ROW_GROUP).to_batches(), count - _ROW_GROUP
        if count:
            writer.write_table(pa.Table.from_batches(waiting, schema).combine_chunks(), _ROW_GROUP)


def _tables(records: Iterable[Record], columns: Columns) -> Iterator[Table]:
    """Give the rows as tables; at least one, which may be empty."""
    records = iter(records)
    chunk = list(islice(records, _ROWS_AT_ONCE))
    while True:
        yield {name: [record[name] for record in chunk] for name in columns}
        chunk = list(islice(records, _ROWS_AT_ONCE))
        if not chunk:
            return


def _write_lines(pieces: Iterator[Table], columns: Columns, ending: str, path: Path) -> None:
    first: bytes | None = None
    with path.open("wb") as file:
        for piece in pieces:
            header, body = ENCODERS[ending](piece, columns)
            if first is None:
                file.write(header)
                first = header
            _check_kind(header == first)
            file.write(body)


def _write_parquet(pieces: Iterator[Table], columns: Columns, path: Path) -> None:
    first = next(pieces)
    schema = arrow_schema(columns, in_bytes=in_bytes(first, columns))

    def batches() -> Iterator[pa.RecordBatch]:
        yield arrow_batch(first, columns, schema)
        for piece in pieces:
            _check_kind(arrow_schema(columns, in_bytes=in_bytes(piece, columns)) == schema)
            yield arrow_batch(piece, columns, schema)

    write_parquet(batches(), schema, path)


def _check_kind(same: bool) -> None:
    if not same:
        raise InputError("The texts in one file must be all str or all bytes; write two files.")


def _read_csv(path: Path, columns: Columns) -> Iterator[Record]:
    csv.field_size_limit(LONGEST_FIELD)
    with path.open(encoding="utf-8", errors="surrogatepass", newline="") as file:
        for record in csv.DictReader(file, strict=True):
            yield _bytes_of_hex(record, columns)


def _read_jsonl(path: Path, columns: Columns) -> Iterator[Record]:
    with path.open("rb") as file:
        for line in file:
            record = json.loads(line)
            if not isinstance(record, dict):
                raise TypeError("the line is not a JSON object.")
            yield _bytes_of_hex(record, columns)


def _read_parquet(path: Path, columns: Columns) -> Iterator[Record]:
    import pyarrow.parquet as pq

    for batch in pq.ParquetFile(path).iter_batches():  # pa.ArrowInvalid is a ValueError
        yield from batch.to_pylist()


def _bytes_of_hex(record: Record, columns: Columns) -> Record:
    if "text" + HEX not in record:
        return record
    texts = [name for name, kind in columns.items() if kind == "text"]
    found = {name: record.pop(name + HEX, None) for name in texts}
    return {name: None if value is None else bytes.fromhex(value) for name, value in found.items()} | record


_READERS: Final[dict[str, Callable[[Path, Columns], Iterator[Record]]]] = {
    ".csv": _read_csv,
    ".jsonl": _read_jsonl,
    ".parquet": _read_parquet,
}
