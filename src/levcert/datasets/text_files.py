"""Lines of text files as people have them: compressed or not, in a given or guessed encoding, of bounded length."""

from __future__ import annotations

import codecs
import gzip
import io
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Final, cast

from levcert.errors import InputError
from levcert.files import row_files

COMPRESSED: Final = (".gz", ".zst")
DELIMITERS: Final = (",", ";", "\t", "|")
_AT_ONCE: Final = 1 << 17  # characters
_SAMPLE: Final = 1 << 20  # bytes that the encoding is guessed from
_MARKS: Final = {  # byte-order marks; that of UTF-32 begins with that of UTF-16
    codecs.BOM_UTF8: "utf-8-sig", codecs.BOM_UTF32_LE: "utf-32", codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16",
}  # fmt: skip
_NOT_IN_CP1252: Final = frozenset(b"\x81\x8d\x8f\x90\x9d")


class TooLong(str):
    """Stands for a line that is longer than the limit, and was not kept."""

    __slots__ = ()


@dataclass
class TextFile:
    """An open text file; ``share`` says which share of its bytes has been read."""

    file: io.TextIOWrapper
    encoding: str
    guessed: bool
    share: Callable[[], float]

    def lines(self, *, strict: bool = False) -> Iterator[str]:
        r"""Give the lines with their ends; only \n ends one.

        In place of a line that is too long comes a ``TooLong``; with ``strict``, it is an error.
        """
        limit = row_files.LONGEST_FIELD
        readline = self.file.readline
        while line := readline(limit + 1):
            if len(line) <= limit:
                yield line
                continue
            if strict:
                raise InputError(f"A line is longer than {limit:,} characters.")
            while line and not line.endswith("\n"):
                line = readline(limit)
            yield TooLong()

    def blocks(self) -> Iterator[str]:
        """Give the rest of the file in strings of whole lines, some 100,000 characters each; long ones are errors."""
        limit = row_files.LONGEST_FIELD
        parts: list[str] = []  # of a line that has not ended
        while more := self.file.read(min(_AT_ONCE, limit)):
            end = more.rfind("\n") + 1
            if sum(map(len, parts)) + (more.find("\n") + 1 or len(more)) > limit:
                raise InputError(f"A line is longer than {limit:,} characters.")
            if end:
                yield "".join([*parts, more[:end]])
                parts = []
            parts.append(more[end:])
        if last := "".join(parts):
            yield last


@contextmanager
def open_text(path: Path, encoding: str | None = None) -> Iterator[TextFile]:
    """Open a text file; without an encoding, guess it from a byte-order mark or from the first megabyte."""
    with open_bytes(path) as (data, share):
        guessed = encoding is None
        name = guess_encoding(_sample(path)) if encoding is None else checked_encoding(encoding)
        # newline="\n" leaves carriage returns alone, inside and outside quotes
        errors = "surrogateescape" if _extends_ascii(name) else "strict"
        with io.TextIOWrapper(data, encoding=name, errors=errors, newline="\n") as text:
            yield TextFile(text, name, guessed, share)


@contextmanager
def open_bytes(path: Path) -> Iterator[tuple[BinaryIO, Callable[[], float]]]:
    """Open a file, decompressed; the second value says which share of it has been read."""
    size = path.stat().st_size
    with path.open("rb") as raw:

        def share() -> float:
            return raw.tell() / size if size and not raw.closed else 1.0

        if path.suffix == ".gz":
            with gzip.GzipFile(fileobj=raw) as unpacked:
                yield cast(BinaryIO, unpacked), share
        elif path.suffix == ".zst":
            import pyarrow as pa

            with pa.CompressedInputStream(raw, "zstd") as stream, io.BufferedReader(_Stream(stream), 1 << 16) as file:
                yield cast(BinaryIO, file), share
        else:
            yield raw, share


class _Stream(io.RawIOBase):
    """An Arrow stream as a file of Python."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self._stream.read(len(buffer))
        buffer[: len(data)] = data
        return len(data)


def checked_encoding(encoding: str) -> str:
    """Return Python's name of an encoding; that of UTF-8 skips a byte-order mark."""
    try:
        name = codecs.lookup(encoding).name
        "".encode(name)
    except (LookupError, TypeError, ValueError):
        raise InputError(f"There is no encoding {encoding!r}; try utf-8, utf-16, cp1252 or latin-1.") from None
    return "utf-8-sig" if name == "utf-8" else name


def shown_encoding(name: str) -> str:
    return "UTF-8" if name == "utf-8-sig" else name


def guess_encoding(sample: bytes) -> str:
    """Guess the encoding of a text from its first bytes.

    A byte-order mark decides.  Zeros at every second place mean UTF-16.  Bytes that are not UTF-8 mean cp1252 (Latin-1
    if cp1252 does not have them), unless most of the bytes above 127 are UTF-8: then the others are mistakes in it.
    """
    for mark, name in _MARKS.items():
        if sample.startswith(mark):
            return name
    zeros = sample[0::2].count(0), sample[1::2].count(0)
    half = len(sample) // 2
    for name, mostly, hardly in (("utf-16-be", zeros[0], zeros[1]), ("utf-16-le", zeros[1], zeros[0])):
        if half and mostly > 0.4 * half and hardly < 0.1 * half:
            return name
    decoder = codecs.getincrementaldecoder("utf-8")  # for which the last character may be torn
    try:
        decoder().decode(sample)
        return "utf-8-sig"
    except UnicodeDecodeError:
        text = decoder("surrogateescape").decode(sample)
    wrong = sum("\udc80" <= character <= "\udcff" for character in text)
    right = sum(character > "\x7f" for character in text) - wrong
    if right > wrong:
        return "utf-8-sig"
    return "latin-1" if _NOT_IN_CP1252 & set(sample) else "cp1252"


def guess_delimiter(header: str, wanted: list[str]) -> str:
    """Guess what separates the columns: what gives the columns that are wanted, or else most columns."""

    def columns(delimiter: str) -> list[str]:
        return [cell.strip().strip('"') for cell in header.strip().split(delimiter)]

    for delimiter in DELIMITERS:
        if set(wanted) <= set(columns(delimiter)):
            return delimiter
    return max(DELIMITERS, key=lambda delimiter: len(columns(delimiter)))


def _sample(path: Path) -> bytes:
    with open_bytes(path) as (data, _):
        return data.read(_SAMPLE)


def _extends_ascii(name: str) -> bool:
    """Say whether bytes below 128 are ASCII, so that other bytes can be escaped."""
    try:
        return "a\n".encode(name).endswith(b"a\n")
    except UnicodeError:
        return False
