"""A journal: one JSON object per line, appended and never changed, and no kill loses more than the line being written.

A line is handed to the operating system before ``append`` returns, so a killed process loses nothing that it has
written.  It is on the disk at most a second later, or when the journal is closed, so that a machine that loses power
loses no more than a second of work.  A kill in the middle of a write leaves a torn last line: readers skip it, and the
next writer cuts it off.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Final

_SECONDS_BETWEEN_SYNCS: Final = 1.0
_BLOCK: Final = 1 << 16  # bytes that are read at once from the end of the file


@dataclass(frozen=True)
class Journal:
    """The journal at a path; a file that does not exist is a journal without lines."""

    path: Path

    def lines(self) -> Iterator[bytes]:
        """Give all lines without their ends, except a torn last one."""
        if not self.path.exists():
            return
        with self.path.open("rb") as file:
            for line in file:
                if line.endswith(b"\n") or _is_whole(line):
                    yield line.removesuffix(b"\n")

    def objects(self) -> Iterator[tuple[int, dict[str, Any]]]:
        """Give all objects with the numbers of their lines; lines that are not JSON objects are skipped."""
        for number, line in enumerate(self.lines(), 1):
            if (found := _object(line)) is not None:
                yield number, found

    def append(self, line: str) -> None:
        """Add a line, and return when it is on the disk."""
        with self.appending() as append:
            append(line)

    @contextmanager
    def appending(self) -> Iterator[Callable[[str], None]]:
        """Give a function that adds a line."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        synced = time.monotonic()
        with self.path.open("ab+") as file:
            _mend(file)

            def append(line: str) -> None:
                nonlocal synced
                file.write(line.encode() + b"\n")  # if Ctrl-C comes in between, closing the file completes the line
                file.flush()
                if time.monotonic() - synced > _SECONDS_BETWEEN_SYNCS:
                    os.fsync(file.fileno())
                    synced = time.monotonic()

            try:
                yield append
            finally:
                file.flush()
                os.fsync(file.fileno())


def _mend(file: BinaryIO) -> None:
    """Cut off a torn last line; end one that lacks only its line break."""
    start = end = file.seek(0, os.SEEK_END)
    tail = b""
    while start and b"\n" not in tail:
        start = max(0, start - _BLOCK)
        file.seek(start)
        tail = file.read(end - start)
    last = tail.rpartition(b"\n")[2]
    if last and _is_whole(last):
        file.write(b"\n")  # in the mode "a" always at the end
    elif last:
        file.truncate(end - len(last))


def _is_whole(line: bytes) -> bool:
    """Say whether a line without its end is a whole one: no beginning of a JSON object is itself an object."""
    return _object(line) is not None


def _object(line: bytes) -> dict[str, Any] | None:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None
