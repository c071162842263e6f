"""Rows as bytes, many at once: csv, JSON lines, and Arrow messages (from which parquet is written at the end of a run).

A table holds its columns as lists of equal length.  The bytes of two tables, one after the other, are the bytes of one
table with the rows of both, so that a file can grow by pieces; only Arrow messages remember where a piece ended.

csv and JSON can only hold characters: byte texts are written in hexadecimal, in columns whose names end in ``_hex``.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Mapping
from json.encoder import encode_basestring_ascii
from typing import TYPE_CHECKING, Any, Final, Literal

from levcert.errors import InputError

if TYPE_CHECKING:
    import pyarrow as pa

Kind = Literal["text", "string", "integer", "number", "kept"]  # a text is str or bytes; kept: any value of the user's
Columns = Mapping[str, Kind]
Table = Mapping[str, list[Any]]
Encoder = Callable[[Table, Columns], tuple[bytes, bytes]]  # the first bytes of a file, and those of the rows

HEX: Final = "_hex"
_PAIR: Final = re.compile("[\ud800-\udbff][\udc00-\udfff]")
_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")  # a cell that begins so is a formula to a spreadsheet


def csv_bytes(table: Table, columns: Columns) -> tuple[bytes, bytes]:
    """Return the header and the rows as csv in UTF-8."""
    return _csv(*_named(table, columns), columns)


def safe_csv_bytes(table: Table, columns: Columns) -> tuple[bytes, bytes]:
    """As :func:`csv_bytes`, with an apostrophe before every cell of characters that a spreadsheet would compute."""
    names, values = _named(table, columns)
    numbers = [name for name, kind in columns.items() if kind in ("integer", "number")]
    defused = [
        column if name in numbers else [_defused(value) for value in column]
        for name, column in zip(names, values, strict=True)
    ]
    return _csv([_defused(name) for name in names], defused, columns)


def jsonl_bytes(table: Table, columns: Columns) -> tuple[bytes, bytes]:
    """Return the rows as lines of JSON in ASCII; there is no header."""
    names, values = _named(table, columns)
    kinds = [columns[name.removesuffix(HEX)] if name not in columns else columns[name] for name in names]
    fragments = [_fragments(column, kind) for column, kind in zip(values, kinds, strict=True)]
    keys = (encode_basestring_ascii(name).replace("%", "%%") for name in names)
    line = "{" + ", ".join(f"{key}: %s" for key in keys) + "}\n"
    return b"", "".join(map(line.__mod__, zip(*fragments, strict=True))).encode("ascii")


def arrow_bytes(table: Table, columns: Columns) -> tuple[bytes, bytes]:
    """Return the messages of an Arrow stream: the schema, and one batch of rows."""
    schema = arrow_schema(columns, in_bytes=in_bytes(table, columns))
    batch = arrow_batch(table, columns, schema)
    return schema.serialize().to_pybytes(), batch.serialize().to_pybytes() if batch.num_rows else b""


def arrow_schema(columns: Columns, *, in_bytes: bool) -> pa.Schema:
    """Return the types of the columns in Arrow and parquet."""
    import pyarrow as pa

    text = pa.binary() if in_bytes else pa.string()
    types = {"text": text, "string": pa.string(), "kept": pa.string(), "integer": pa.int64(), "number": pa.float64()}
    return pa.schema([(name, types[kind]) for name, kind in columns.items()])


def arrow_batch(table: Table, columns: Columns, schema: pa.Schema) -> pa.RecordBatch:
    """Return the rows as an Arrow batch."""
    import pyarrow as pa

    values = [list(map(_as_string, table[name])) if kind == "kept" else table[name] for name, kind in columns.items()]
    try:
        arrays = [pa.array(column, field.type) for column, field in zip(values, schema, strict=True)]
    except UnicodeEncodeError:
        raise InputError(
            "A text contains a lone surrogate, which parquet cannot store; write .jsonl or .csv."
        ) from None
    return pa.record_batch(arrays, schema=schema)


ENCODERS: Final[dict[str, Encoder]] = {
    ".csv": csv_bytes,
    ".jsonl": jsonl_bytes,
    ".parquet": arrow_bytes,
    "safe .csv": safe_csv_bytes,
}


def _csv(names: list[str], values: list[list[Any]], columns: Columns) -> tuple[bytes, bytes]:
    # surrogatepass: any str can be written and read back, even one that is not valid Unicode
    header, body = io.StringIO(newline=""), io.StringIO(newline="")
    csv.writer(header).writerow(names)
    values = [
        list(map(_as_string, column)) if columns.get(name) == "kept" else column
        for name, column in zip(names, values, strict=True)
    ]
    csv.writer(body).writerows(zip(*values, strict=True))
    return header.getvalue().encode("utf-8", "surrogatepass"), body.getvalue().encode("utf-8", "surrogatepass")


def _defused(value: Any) -> Any:
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value


def _named(table: Table, columns: Columns) -> tuple[list[str], list[list[Any]]]:
    """Return names and values of the columns, with byte texts in hexadecimal."""
    if not in_bytes(table, columns):
        return list(columns), [table[name] for name in columns]
    names, values = [], []
    for name, kind in columns.items():
        names.append(name + HEX if kind == "text" else name)
        hexed = kind == "text"
        values.append([None if v is None else v.hex() for v in table[name]] if hexed else table[name])
    return names, values


def in_bytes(table: Table, columns: Columns) -> bool:
    """Say whether the texts are bytes; they must all be of one kind."""
    kinds: set[type] = set()
    for name, kind in columns.items():
        if kind == "text":
            kinds.update(map(type, table[name]))
    kinds.discard(type(None))
    if len(kinds) > 1:
        raise InputError("The texts in one file must be all str or all bytes; write two files.")
    return kinds == {bytes}


def _fragments(column: list[Any], kind: Kind) -> list[str]:
    """Return each value as JSON."""
    if kind == "kept":
        return [json.dumps(value) for value in column]
    if kind in ("integer", "number"):
        return [_json_number(value) for value in column]
    _check_pairs(column)
    quote = encode_basestring_ascii
    return ["null" if value is None else quote(value) for value in column]


def _json_number(value: float | None) -> str:
    return (
        "null" if value is None else json.dumps(value) if value != value or abs(value) == float("inf") else repr(value)
    )


def _check_pairs(column: list[Any]) -> None:
    """Refuse the one kind of str that JSON loses: a pair of surrogates is read as the character that it encodes."""
    everything = "\n".join(value for value in column if value is not None)
    if everything.isascii():
        return
    try:
        everything.encode("utf-8")
    except UnicodeEncodeError:
        if _PAIR.search(everything):
            raise InputError(
                "A text contains a pair of surrogates, which JSON would read as one character; write .csv."
            ) from None


def _as_string(value: Any) -> str | None:
    """Return a value of a column that is kept as characters: strings as they are, all else as JSON."""
    return value if value is None or isinstance(value, str) else json.dumps(value, default=str)
