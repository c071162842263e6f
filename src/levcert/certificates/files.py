"""Certificates as files: csv, JSON lines and parquet, all with the columns of docs/formats.md."""

import csv
import json
from collections.abc import Iterable, Iterator
from itertools import count
from pathlib import Path
from typing import Any, Final, get_args

from levcert.certificates.certificate import Certificate
from levcert.certificates.claims import Unit
from levcert.errors import InputError
from levcert.files.row_encoders import Columns
from levcert.files.row_files import Record, read_records, write_records
from levcert.text.threat import ANY_EDIT, Threat

CERTIFICATE_COLUMNS: Final[Columns] = {
    "text": "text",
    "label": "string",
    "radius": "integer",
    "margin": "number",
    "method": "string",
    "claim": "string",
    "threat": "string",
    "unit": "string",
    "target": "string",
    "upper": "integer",
    "counterexample": "text",
    "class_radii": "string",
    "seconds": "number",
}


_SINCE_0_2: Final = {"threat", "unit", "target", "class_radii"}  # files of version 0.1 have no such columns
_OPTIONAL: Final = {"seconds"}  # levcert certify writes it only on request, so that its files do not depend on the time


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
    record = {name: getattr(row, name) for name in CERTIFICATE_COLUMNS}
    radii = None if row.class_radii is None else json.dumps(dict(row.class_radii), ensure_ascii=False)
    return record | {"threat": None if row.threat is None else threat_text(row.threat), "class_radii": radii}


def threat_text(threat: Threat) -> str:
    """Return a threat as JSON; the one that nearly all rows have is cached."""
    return _ANY_EDIT_TEXT if threat is ANY_EDIT else json.dumps(threat.to_dict())


_ANY_EDIT_TEXT: Final = json.dumps(ANY_EDIT.to_dict())


def _certificate(record: Record) -> Certificate:
    known = CERTIFICATE_COLUMNS.keys()
    missing = known - record.keys() - _SINCE_0_2 - _OPTIONAL
    if missing or None in record:  # csv puts cells beyond the header there
        raise ValueError(f"missing columns {sorted(missing)}." if missing else "more cells than columns.")
    record = {name: value for name, value in record.items() if name in known}  # others are the user's own
    for name, kinds in {"text": (str, bytes), "label": (str,), "method": (str,), "claim": (str,)}.items():
        if not isinstance(record[name], kinds):
            raise TypeError(f"the {name} is {record[name]!r}.")
    fields = dict(record, radius=_whole(record["radius"]))
    fields["upper"] = None if record["upper"] in (None, "") else _whole(record["upper"])
    fields["margin"] = None if record["margin"] in (None, "") else float(record["margin"])
    fields["seconds"] = float(record.get("seconds") or 0)
    threat = record.get("threat")
    fields["threat"] = Threat.from_dict(json.loads(threat)) if threat else None
    fields["unit"] = record.get("unit") or ("bytes" if isinstance(record["text"], bytes) else "characters")
    if fields["unit"] not in get_args(Unit):
        raise ValueError(f"the unit is {fields['unit']!r}.")
    fields["target"] = record.get("target") or None
    radii = record.get("class_radii")
    fields["class_radii"] = {str(name): _whole(radius) for name, radius in json.loads(radii).items()} if radii else None
    if fields["upper"] is None:  # csv cannot tell a missing counterexample from an empty one; the distance can
        fields["counterexample"] = None
    return Certificate(**fields)


def _whole(value: Any) -> int:
    if isinstance(value, bool | float):
        raise TypeError(f"{value!r} is not a whole number.")
    return int(value)
