"""Rows with named columns as files: csv, JSON lines and parquet, one row at a time.

csv and JSON can only hold characters: byte texts are written in hexadecimal, in columns whose names end in ``_hex``.
"""

import csv
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain, islice
from pathlib import Path
from typing import Any, Final, Literal

from levcert.errors import InputError
from levcert.files.atomic import atomic_path, existing_file

Record = dict[str, Any]
Columns = Mapping[str, Literal["text", "string", "integer", "number"]]  # a text is str or bytes

LONGEST_FIELD: Final = 1 << 26  # a longer one is an unclosed quote; without a limit it would swallow the file
_HEX: Final = "_hex"
_ROWS_AT_ONCE: Final = 4096


def write_records(records: Iterable[Record], columns: Columns, path: Path) -> None:
    """Write rows in the format that the file's extension names, completely or not at all."""
    write, _ = _format(path)
    with atomic_path(path) as part:
        write(_of_one_kind(records, columns), columns, part)


def read_records(path: Path, columns: Columns) -> Iterator[Record]:
    """Read the rows of a file; from csv, all columns that are not texts come as strings."""
    _, read = _format(path)
    return read(existing_file(path), columns)


def check_ending(path: Path) -> None:
    """Reject a file whose extension is not one of the formats."""
    _format(path)


def json_line(record: Record, columns: Columns) -> str:
    """Return a row as one line of JSON in ASCII, without the line end."""
    record = _hex_of_bytes(record, columns)
    line = json.dumps(record)
    # Only a pair of surrogates is lost: it is written like the one character that it encodes.
    if "\\ud" in line and any(map(_holds_surrogates, record.values())) and json.loads(line) != record:
        raise InputError("A text contains a pair of surrogates, which JSON would read as one character; write .csv.")
    return line


def _holds_surrogates(value: Any) -> bool:
    if not isinstance(value, str):
        return False
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        return True
    return False


def record_of_json(line: bytes, columns: Columns) -> Record:
    """Read what :func:`json_line` wrote."""
    record = json.loads(line)
    if not isinstance(record, dict):
        raise TypeError("the line is not a JSON object.")
    return _bytes_of_hex(record, columns)


def _of_one_kind(records: Iterable[Record], columns: Columns) -> Iterator[Record]:
    kinds: set[type] = set()
    for record in records:
        kinds |= {type(record[name]) for name in _texts(columns) if record[name] is not None}
        if len(kinds) > 1:
            raise InputError("The texts in one file must be all str or all bytes; write two files.")
        yield record


def _texts(columns: Columns) -> list[str]:
    return [name for name, kind in columns.items() if kind == "text"]


def _hex_of_bytes(record: Record, columns: Columns) -> Record:
    if not isinstance(record["text"], bytes):
        return record
    names = _texts(columns)
    hexed = {name + _HEX: None if record[name] is None else record[name].hex() for name in names}
    return hexed | {name: value for name, value in record.items() if name not in names}


def _bytes_of_hex(record: Record, columns: Columns) -> Record:
    if "text" + _HEX not in record:
        return record
    found = {name: record.pop(name + _HEX, None) for name in _texts(columns)}
    return {name: None if value is None else bytes.fromhex(value) for name, value in found.items()} | record


def _write_csv(records: Iterator[Record], columns: Columns, path: Path) -> None:
    # surrogatepass: any str can be written and read back, even one that is not valid Unicode
    with path.open("w", encoding="utf-8", errors="surrogatepass", newline="") as file:
        first = next(records, None)
        if first is None:
            csv.writer(file).writerow(columns)
            return
        writer = csv.DictWriter(file, fieldnames=list(_hex_of_bytes(first, columns)))
        writer.writeheader()
        writer.writerows(_hex_of_bytes(record, columns) for record in chain([first], records))


def _read_csv(path: Path, columns: Columns) -> Iterator[Record]:
    csv.field_size_limit(LONGEST_FIELD)
    with path.open(encoding="utf-8", errors="surrogatepass", newline="") as file:
        for record in csv.DictReader(file, strict=True):
            yield _bytes_of_hex(record, columns)


def _write_jsonl(records: Iterator[Record], columns: Columns, path: Path) -> None:
    with path.open("w", encoding="ascii") as file:
        file.writelines(json_line(record, columns) + "\n" for record in records)


def _read_jsonl(path: Path, columns: Columns) -> Iterator[Record]:
    with path.open("rb") as file:
        for line in file:
            yield record_of_json(line, columns)


def _write_parquet(records: Iterator[Record], columns: Columns, path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    chunk = list(islice(records, _ROWS_AT_ONCE))
    text = pa.binary() if chunk and isinstance(chunk[0]["text"], bytes) else pa.string()
    types = {"text": text, "string": pa.string(), "integer": pa.int64(), "number": pa.float64()}
    schema = pa.schema([(name, types[kind]) for name, kind in columns.items()])
    with pq.ParquetWriter(path, schema, compression="zstd") as writer:
        while chunk:
            try:
                writer.write_table(pa.Table.from_pylist(chunk, schema=schema))
            except UnicodeEncodeError:
                raise InputError(
                    "A text contains a lone surrogate, which parquet cannot store; write .jsonl or .csv."
                ) from None
            chunk = list(islice(records, _ROWS_AT_ONCE))


def _read_parquet(path: Path, columns: Columns) -> Iterator[Record]:
    import pyarrow.parquet as pq

    for batch in pq.ParquetFile(path).iter_batches():  # pa.ArrowInvalid is a ValueError
        yield from batch.to_pylist()


Writer = Callable[[Iterator[Record], Columns, Path], None]
Reader = Callable[[Path, Columns], Iterator[Record]]

_FORMATS: Final[dict[str, tuple[Writer, Reader]]] = {
    ".csv": (_write_csv, _read_csv),
    ".jsonl": (_write_jsonl, _read_jsonl),
    ".parquet": (_write_parquet, _read_parquet),
}


def _format(path: Path) -> tuple[Writer, Reader]:
    try:
        return _FORMATS[path.suffix]
    except KeyError:
        raise InputError(f"Unknown file type: {path}. The name must end in {', '.join(_FORMATS)}.") from None
