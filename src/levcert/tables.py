"""Certificates as files: csv, JSON lines and parquet, all with the columns of docs/formats.md."""

import csv
from collections.abc import Iterable, Iterator
from itertools import count
from pathlib import Path
from typing import Any, Final

from levcert.certificate import Certificate
from levcert.errors import InputError
from levcert.records import Columns, Record, read_records, write_records

CERTIFICATE_COLUMNS: Final[Columns] = {
    "text": "text",
    "label": "string",
    "radius": "integer",
    "margin": "number",
    "method": "string",
    "claim": "string",
    "upper": "integer",
    "counterexample": "text",
    "seconds": "number",
}


def write_certificates(rows: Iterable[Certificate], path: Path) -> None:
    """Write certificates in the format that the file's ending names."""
    write_records(map(certificate_record, rows), CERTIFICATE_COLUMNS, path)


def read_certificates(path: Path) -> Iterator[Certificate]:
    """Read certificates one by one from a file of :func:`write_certificates`."""
    records = read_records(path, CERTIFICATE_COLUMNS)
    for number in count(1):
        try:
            yield _certificate(next(records))
        except StopIteration:
            return
        except (TypeError, ValueError, OverflowError, RecursionError, OSError, csv.Error) as error:
            raise InputError(f"Row {number} of {path} is not a certificate: {error}") from None


def certificate_record(row: Certificate) -> Record:
    """Return a certificate as a row of its file."""
    return {name: getattr(row, name) for name in CERTIFICATE_COLUMNS}


def _certificate(record: Record) -> Certificate:
    known = CERTIFICATE_COLUMNS.keys()
    unknown, missing = record.keys() - known, known - record.keys()
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
