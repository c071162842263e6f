"""Where the rows of a run come from: files, lines of a pipe, texts in memory, labelled texts of a dataset."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any, BinaryIO, Final, Literal

from levcert.datasets.input_files import Shard
from levcert.datasets.readers import ALL_COLUMNS, ReadRows, RowReader, all_fine, defect_of_text
from levcert.errors import InputError
from levcert.files import row_files
from levcert.runs.chunk import Chunk
from levcert.runs.manifest import file_facts
from levcert.text.alphabet import Text, hashable_bytes

_AT_ONCE: Final = 1 << 16  # bytes of a pipe
_ROWS: Final = 256


@dataclass
class FileSource:
    """The rows of files, one file after the other; ``limit`` is the largest number of rows."""

    files: list[Path]
    text_column: str = "text"
    label_column: str | None = None
    on_bad_row: Literal["error", "skip"] = "error"
    encoding: str | None = None
    delimiter: str | None = None
    keep: tuple[str, ...] | Literal["all"] = ()
    shard: Shard | None = None
    limit: int | None = None
    skipped: Counter[str] = field(default_factory=Counter)
    live: bool = field(default=False, init=False)
    _given: int = field(default=0, init=False)
    _share: float = field(default=0.0, init=False)

    def __post_init__(self) -> None:
        if self.keep == ALL_COLUMNS:
            self.keep = tuple(dict.fromkeys(self._reader(self.files[0]).columns())) if self.files else ()

    def identity(self) -> list[dict[str, Any]]:
        """Return name, size and hash of each file."""
        return [file_facts(path) for path in self._mine]

    def guesses(self) -> Iterator[str]:
        """Say what was guessed about each file."""
        for path in self._mine:
            if found := self._reader(path).guesses():
                yield f"{path}: guessed {', '.join(found)}"

    def expected(self, given: int) -> int | None:
        if not self._share:
            return None
        rows = max(given, round(self._given / self._share))
        return rows if self.limit is None else min(rows, self.limit)

    def chunks(self) -> Iterator[Chunk]:
        sizes = [path.stat().st_size if path.exists() else 0 for path in self._mine]
        total, before = sum(sizes) or 1, 0
        read = 0
        for path, size in zip(self._mine, sizes, strict=True):
            reader = self._reader(path)
            for block in reader.blocks():
                chunk = self._chunk(str(path), block, read)
                read += len(block.texts)
                self._share = (before + reader.share_read * size) / total
                if self.limit is not None and self._given + len(chunk) >= self.limit:
                    chunk = chunk.part(0, self.limit - self._given)
                    self._given, self._share = self.limit, 1.0
                    yield chunk
                    return
                self._given += len(chunk)
                yield chunk
            before += size
        self._share = 1.0

    @property
    def _mine(self) -> list[Path]:
        if self.shard is None or self._rows_are_shared:
            return self.files
        return self.files[self.shard.number - 1 :: self.shard.count]

    @property
    def _rows_are_shared(self) -> bool:
        return self.shard is not None and len(self.files) < self.shard.count

    def _reader(self, path: Path) -> RowReader:
        return RowReader(
            path, self.text_column, self.label_column, self.on_bad_row, None, self.skipped, None, self.encoding,
            self.delimiter, self.keep,
        )  # fmt: skip

    def _chunk(self, name: str, block: ReadRows, read: int) -> Chunk:
        chunk = Chunk([name] * len(block.texts), block.rows, block.texts, block.labels, block.kept)
        if self.shard is None or not self._rows_are_shared:
            return chunk
        every = slice((self.shard.number - 1 - read) % self.shard.count, None, self.shard.count)
        return Chunk(
            chunk.files[every], chunk.rows[every], chunk.texts[every],
            None if chunk.labels is None else chunk.labels[every],
            {column: values[every] for column, values in chunk.kept.items()},
        )  # fmt: skip


@dataclass
class LineSource:
    """One text per line of a pipe; what has arrived is given at once."""

    pipe: BinaryIO
    on_bad_row: Literal["error", "skip"] = "error"
    name: str = "stdin"
    live: bool = True
    skipped: Counter[str] = field(default_factory=Counter)
    _stopped: InputError | None = field(default=None, init=False)  # after the rows before the bad one

    def identity(self) -> None:
        """A pipe can be read only once, so it has no hash before the run."""
        return None

    def expected(self, given: int) -> int | None:
        return None

    def chunks(self) -> Iterator[Chunk]:
        number, rest = 0, b""
        while data := self._read():
            *lines, rest = (rest + data).split(b"\n")
            if len(rest) > row_files.LONGEST_FIELD:
                raise InputError(f"{self.name}: line {number + len(lines) + 1} is too long; is this a text?")
            if lines:
                yield self._chunk(lines, number, ended=True)
                number += len(lines)
                self._stop()
        if rest:
            yield self._chunk([rest], number, ended=False)
            self._stop()

    def _stop(self) -> None:
        if self._stopped is not None:
            raise self._stopped

    def _read(self) -> bytes:
        read = getattr(self.pipe, "read1", self.pipe.read)  # read1 returns what is there; it waits only for the first
        return bytes(read(_AT_ONCE))

    def _chunk(self, lines: list[bytes], before: int, *, ended: bool) -> Chunk:
        # surrogateescape maps bytes that are not UTF-8 to surrogates, which no character is, so that they are found
        texts = [(line.removesuffix(b"\r") if ended else line).decode("utf-8", "surrogateescape") for line in lines]
        rows = range(before + 1, before + 1 + len(lines))
        if all_fine(texts):
            return Chunk([self.name] * len(texts), list(rows), list(texts))
        good: list[int] = []
        for row, text in zip(rows, texts, strict=True):
            defect = defect_of_text(text or None)
            if not defect:
                good.append(row)
            elif self.on_bad_row == "skip":
                self.skipped[defect] += 1
            else:
                self._stopped = InputError(
                    f"{self.name}: line {row}: {defect}. Fix the line, or skip bad lines with --on-bad-row skip."
                )
                break
        return Chunk([self.name] * len(good), good, [texts[row - before - 1] for row in good])


@dataclass
class TextSource:
    """Texts in memory, with their labels if they have any."""

    texts: Sequence[Text]
    name: str
    labels: Sequence[str] | None = None
    live: bool = False
    skipped: Counter[str] = field(default_factory=Counter)

    def identity(self) -> list[dict[str, Any]]:
        digest = sha256()
        for text, label in zip(self.texts, self.labels or [""] * len(self.texts), strict=True):
            raw = hashable_bytes(text)
            digest.update(b"%d %d " % (len(raw), len(label)) + raw + hashable_bytes(label))
        return [{"file": self.name, "rows": len(self.texts), "sha256": digest.hexdigest()}]

    def expected(self, given: int) -> int | None:
        return len(self.texts)

    def chunks(self) -> Iterator[Chunk]:
        for first in range(0, len(self.texts), _ROWS):
            texts = list(self.texts[first : first + _ROWS])
            labels = None if self.labels is None else list(self.labels[first : first + _ROWS])
            yield Chunk([self.name] * len(texts), list(range(first + 1, first + 1 + len(texts))), texts, labels)
