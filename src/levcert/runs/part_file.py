"""The rows of a run that has not ended: ``NAME.part`` with the bytes, ``NAME.journal`` with a checksum of each chunk.

A chunk is written in two steps, each on the disk before the next: its bytes at the end of the part, then one line in
the journal with their number and SHA-256.  What the part holds beyond the last line of the journal is the beginning
of a chunk that was not finished, and is removed.  So a kill, a full disk or a loss of power costs at most the chunks in
flight.

Each line of the journal begins with a checksum of itself and all lines before it: a line that was edited, moved or
removed is noticed.  The first line says what the run is: model, options, inputs, version.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, Final

from levcert.errors import InputError
from levcert.runs.chunk import Answer
from levcert.runs.output_lock import locked, open_regular, sync_folder

_CHECK: Final = 16  # characters of a line's checksum
_BLOCK: Final = 1 << 20


def part_path(output: Path) -> Path:
    return output.with_name(f"{output.name}.part")


def journal_path(output: Path) -> Path:
    return output.with_name(f"{output.name}.journal")


@dataclass(frozen=True)
class Written:
    """A chunk of an interrupted run: how many rows, and a digest of its texts if the input cannot be hashed before."""

    rows: int
    digest: str | None


@dataclass
class PartFile:
    """The part and the journal of an output, both open and locked."""

    output: Path
    journal: BinaryIO
    data: BinaryIO
    identity: dict[str, Any] | None = None  # of the interrupted run; None: there is none
    rows: int = 0
    bytes: int = 0
    summary: Counter[str] = field(default_factory=Counter)
    digest: Any = field(default_factory=hashlib.sha256)  # of all bytes so far
    finished: bool = False  # the output is complete, and nothing here is needed any more
    _check: str = ""

    @classmethod
    @contextmanager
    def opened(cls, output: Path) -> Iterator[PartFile]:
        """Open and lock both files, and read what an interrupted run left; without rows, remove them at the end."""
        journal, part = journal_path(output), part_path(output)
        with locked(journal, output) as lines, open_regular(part) as data:
            files = cls(output, lines, data)
            files.read_journal()
            try:
                yield files
            finally:
                if not files.finished:
                    files.read_journal()
                if files.finished or not files.rows:
                    part.unlink(missing_ok=True)
                    journal.unlink(missing_ok=True)

    def begin(self, identity: dict[str, Any]) -> None:
        """Start a run from its first row."""
        self.identity = identity
        self.data.truncate(0)
        self.data.seek(0)
        self.journal.truncate(0)
        self.journal.seek(0)
        self._check = ""
        self._add_line(identity)
        sync_folder(self.output)

    def append(self, answer: Answer, digest: str | None = None) -> None:
        """Add the rows of a chunk, and return when they are on the disk."""
        data = answer.body if self.bytes else answer.header + answer.body
        if self.bytes and os.pread(self.data.fileno(), len(answer.header), 0) != answer.header:
            raise InputError("The texts in one file must be all str or all bytes; write two files.")
        _write(self.data, data)
        known = answer.sha256 if self.bytes else None  # that of the first chunk is without the header
        line = {"rows": answer.rows, "bytes": len(data), "sha256": known or hashlib.sha256(data).hexdigest()}
        self._add_line(line | {"summary": answer.summary} | ({"input": digest} if digest else {}))
        self._count(line | {"summary": answer.summary})
        self.digest.update(data)

    def chunks(self) -> Iterator[Written]:
        """Give the chunks of the interrupted run."""
        for line in islice(self._lines(), 1, None):
            yield Written(line["rows"], line.get("input"))

    def check(self) -> None:
        """Refuse a part that is not what the journal says, and remove a chunk that was not finished."""
        self.data.seek(0)
        first = 1
        for line in islice(self._lines(), 1, None):
            digest, left = hashlib.sha256(), line["bytes"]
            while left and (block := self.data.read(min(left, _BLOCK))):
                digest.update(block)
                self.digest.update(block)
                left -= len(block)
            if left or digest.hexdigest() != line["sha256"]:
                raise InputError(
                    f"Rows {first:,} to {first + line['rows'] - 1:,} of {part_path(self.output)} are not as they were "
                    f"written; delete it and {journal_path(self.output)}, and start over."
                )
            first += line["rows"]
        self.data.truncate(self.bytes)
        self.data.seek(self.bytes)

    def read_journal(self) -> None:
        """Count what is safe: after Ctrl-C, which can come after a line is written, one chunk more than was known."""
        self.rows = self.bytes = 0
        self.summary = Counter()
        lines = self._lines()
        self.identity = next(lines, None)
        for line in lines:
            self._count(line)

    def _count(self, line: dict[str, Any]) -> None:
        self.rows += line["rows"]
        self.bytes += line["bytes"]
        self.summary.update(line["summary"])

    def _lines(self) -> Iterator[dict[str, Any]]:
        """Give the lines of the journal; remove a torn last one, refuse one that was changed."""
        self._check, end = "", 0
        with open(os.dup(self.journal.fileno()), "rb") as file:
            file.seek(0)
            for number, line in enumerate(file, 1):
                if not line.endswith(b"\n"):
                    self.journal.truncate(end)
                    break
                check, _, content = line.rstrip(b"\n").partition(b" ")
                self._check = _chained(self._check, content)
                if check.decode("ascii", "replace") != self._check:
                    path = journal_path(self.output)
                    raise InputError(
                        f"Line {number} of {path} is not as it was written; delete it and {part_path(self.output)}, "
                        "and start over."
                    )
                end += len(line)
                yield json.loads(content)
        self.journal.seek(end)

    def _add_line(self, value: dict[str, Any]) -> None:
        content = json.dumps(value).encode("ascii")
        self._check = _chained(self._check, content)
        _write(self.journal, self._check.encode("ascii") + b" " + content + b"\n")


def _chained(before: str, content: bytes) -> str:
    return hashlib.sha256(before.encode("ascii") + content).hexdigest()[:_CHECK]


def _write(file: BinaryIO, data: bytes) -> None:
    """Write all bytes, and return when they are on the disk."""
    rest = memoryview(data)
    while rest:
        rest = rest[file.write(rest) or 0 :]
    os.fsync(file.fileno())
