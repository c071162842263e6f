"""Certificates as files: csv, JSON lines and parquet, all with the columns of docs/formats.md."""

import csv
import json
from collections.abc import Callable, Iterable, Iterator
from itertools import count
from pathlib import Path
from typing import Any, Final

from levcert.certificate import COLUMNS, Certificate
from levcert.datasets.readers import LONGEST_FIELD
from levcert.errors import InputError
from levcert.files import atomic_path, existing_file

Record = dict[str, Any]
_TEXTS: Final = ("text", "counterexample")


def write_certificates(rows: Iterable[Certificate], path: Path) -> None:
    """Write certificates in the format that the file's ending names."""
    write, _ = _format(path)
    with atomic_path(path) as part:
        write(_records(rows), part)


def read_certificates(path: Path) -> Iterator[Certificate]:
    """Read certificates one by one from a file of :func:`write_certificates`."""
    _, read = _format(path)
    records = read(existing_file(path))
    for number in count(1):
        try:
            yield _certificate(next(records))
        except StopIteration:
            return
        except (TypeError, ValueError, OverflowError, RecursionError, OSError, csv.Error) as error:
            raise InputError(f"Row {number} of {path} is not a certificate: {error}") from None


def _records(rows: Iterable[Certificate]) -> Iterator[Record]:
    kind = None
    for row in rows:
        kind = kind or type(row.text)
        if type(row.text) is not kind:
            raise InputError("One file holds certificates of str texts or of bytes texts, not of both.")
        yield {name: getattr(row, name) for name in COLUMNS}


def _certificate(record: Record) -> Certificate:
    unknown, missing = record.keys() - set(COLUMNS), set(COLUMNS) - record.keys()
    if unknown or missing:
        raise ValueError(f"unknown columns {sorted(map(str, unknown))}, missing columns {sorted(missing)}.")
    for name, kinds in {"text": (str, bytes), "label": (str,), "method": (str,), "claim": (str,)}.items():
        if not isinstance(record[name], kinds):
            raise TypeError(f"the {name} is {record[name]!r}.")
    fields = dict(record, radius=_whole(record["radius"]))
    fields["upper"] = None if record["upper"] in (None, "") else _whole(record["upper"])
    fields["margin"] = None if record["margin"] in (None, "") else float(record["margin"])
    fields["seconds"] = float(record["seconds"])
    if fields["upper"] is None:  # csv cannot tell a missing counterexample from an empty one; the distance can
        fields["counterexample"] = None
    return Certificate(**fields)


def _whole(value: Any) -> int:
    if isinstance(value, bool | float):
        raise TypeError(f"{value!r} is not a whole number.")
    return int(value)


def _hex_of_bytes(record: Record) -> Record:
    """Rename byte texts to ``text_hex`` and write them in hexadecimal: csv and JSON hold characters only."""
    if not isinstance(record["text"], bytes):
        return record
    hexed = {f"{name}_hex": None if record[name] is None else record[name].hex() for name in _TEXTS}
    return hexed | {name: value for name, value in record.items() if name not in _TEXTS}


def _bytes_of_hex(record: Record) -> Record:
    if "text_hex" not in record:
        return record
    texts = {name: bytes.fromhex(record.pop(f"{name}_hex", None) or "") for name in _TEXTS}
    return texts | record


def _write_csv(records: Iterator[Record], path: Path) -> None:
    # surrogatepass: any str can be written and read back, also one that is not valid Unicode
    with path.open("w", encoding="utf-8", errors="surrogatepass", newline="") as file:
        writer = None
        for record in map(_hex_of_bytes, records):
            if writer is None:
                writer = csv.DictWriter(file, fieldnames=list(record))
                writer.writeheader()
            writer.writerow(record)
        if writer is None:
            csv.writer(file).writerow(COLUMNS)


def _read_csv(path: Path) -> Iterator[Record]:
    csv.field_size_limit(LONGEST_FIELD)
    with path.open(encoding="utf-8", errors="surrogatepass", newline="") as file:
        yield from map(_bytes_of_hex, csv.DictReader(file, strict=True))


def _write_jsonl(records: Iterator[Record], path: Path) -> None:
    with path.open("w", encoding="ascii") as file:
        for record in map(_hex_of_bytes, records):
            line = json.dumps(record)
            if json.loads(line) != record:  # a pair of surrogates, which JSON reads as one character
                raise InputError("A text holds surrogates that JSON cannot tell from a character; write .csv.")
            file.write(line + "\n")


def _read_jsonl(path: Path) -> Iterator[Record]:
    with path.open("rb") as file:
        for line in file:
            record = json.loads(line)
            if not isinstance(record, dict):
                raise TypeError("the line is not a JSON object.")
            yield _bytes_of_hex(record)


def _write_parquet(records: Iterator[Record], path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = list(records)
    text_type = pa.binary() if table and isinstance(table[0]["text"], bytes) else pa.string()
    types = {"radius": pa.int64(), "upper": pa.int64(), "margin": pa.float64(), "seconds": pa.float64()}
    types |= dict.fromkeys(_TEXTS, text_type)
    schema = pa.schema([(name, types.get(name, pa.string())) for name in COLUMNS])
    try:
        columns = pa.Table.from_pylist(table, schema=schema)
    except UnicodeEncodeError:
        raise InputError("A text holds a lone surrogate, which parquet cannot store; write .jsonl or .csv.") from None
    pq.write_table(columns, path, compression="zstd")


def _read_parquet(path: Path) -> Iterator[Record]:
    import pyarrow.parquet as pq

    for batch in pq.ParquetFile(path).iter_batches():  # pa.ArrowInvalid is a ValueError
        yield from batch.to_pylist()


Writer = Callable[[Iterator[Record], Path], None]
Reader = Callable[[Path], Iterator[Record]]

_FORMATS: Final[dict[str, tuple[Writer, Reader]]] = {
    ".csv": (_write_csv, _read_csv),
    ".jsonl": (_write_jsonl, _read_jsonl),
    ".parquet": (_write_parquet, _read_parquet),
}


def _format(path: Path) -> tuple[Writer, Reader]:
    try:
        return _FORMATS[path.suffix]
    except KeyError:
        raise InputError(f"The ending of {path} is none of {', '.join(_FORMATS)}; give the file one of them.") from None
