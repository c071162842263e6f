"""What workers are given and what they return: a few rows of the input, and the bytes of their rows in the output."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Protocol

if TYPE_CHECKING:
    from levcert.text.alphabet import Text

MOST_CHARACTERS: Final = 1 << 21  # in one chunk, unless a single text is longer


@dataclass(slots=True)
class Chunk:
    """Rows of the input as columns: each text with its file, the number of its row there, and what the user keeps."""

    files: list[str]
    rows: list[int]
    texts: list[Text]
    labels: list[str] | None = None
    kept: dict[str, list[Any]] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.texts)

    def part(self, first: int, last: int) -> Chunk:
        """Return the rows from ``first`` to before ``last``."""
        within = slice(first, last)
        return Chunk(
            self.files[within], self.rows[within], self.texts[within],
            None if self.labels is None else self.labels[within],
            {name: column[within] for name, column in self.kept.items()},
        )  # fmt: skip

    def add(self, other: Chunk) -> None:
        """Append the rows of another chunk; a column that only one of them keeps is None for the rows of the other."""
        for name in other.kept.keys() - self.kept.keys():
            self.kept[name] = [None] * len(self)
        for name, column in self.kept.items():
            column += other.kept.get(name, [None] * len(other))
        self.files += other.files
        self.rows += other.rows
        self.texts += other.texts
        if self.labels is not None and other.labels is not None:
            self.labels += other.labels


@dataclass(slots=True)
class Answer:
    """The rows of a chunk in the output: ``header`` is what a file begins with, ``summary`` what is added up."""

    header: bytes
    body: bytes
    rows: int
    summary: dict[str, float]
    seconds: float = 0.0
    sha256: str | None = None  # of the body; the worker computes it, so that the one writer need not


class Task(Protocol):
    """What is done to every chunk.  It is pickled and sent to each worker once."""

    @property
    def rows_at_first(self) -> int:
        """How many rows the first chunks have; later ones are as large as half a second allows."""

    def start(self) -> Callable[[Chunk], Answer]:
        """Load what is needed, and return the function that answers chunks."""


class Source(Protocol):
    """Where rows come from.  ``live``: a pipe, whose rows are answered as they arrive."""

    live: bool
    skipped: dict[str, int]  # rows that could not be used, by reason

    def chunks(self) -> Iterator[Chunk]:
        """Give all rows, in chunks of any size."""

    def expected(self, given: int) -> int | None:
        """Return how many rows there are, or an estimate after this many; None: not known."""


class Taker:
    """Takes any number of rows from chunks of other sizes; of a live source, what is there."""

    def __init__(self, chunks: Iterator[Chunk], *, live: bool) -> None:
        self._chunks, self._live = chunks, live
        self._waiting: deque[Chunk] = deque()

    def take(self, count: int, *, exactly: bool = False) -> Chunk | None:
        """Return the next ``count`` rows, fewer if they are long or the last (not if ``exactly``); None at the end."""
        taken = self._next(count, exactly)
        while taken is not None and len(taken) < count and (exactly or not (self._live or _is_long(taken))):
            more = self._next(count - len(taken), exactly)
            if more is None:
                break
            taken.add(more)
        return taken

    def _next(self, count: int, exactly: bool) -> Chunk | None:
        while not self._waiting:
            chunk = next(self._chunks, None)
            if chunk is None:
                return None
            if len(chunk):
                self._waiting.append(chunk)
        chunk = self._waiting.popleft()
        if not exactly:
            count = min(count, _fitting(chunk.texts))
        if count < len(chunk):
            self._waiting.appendleft(chunk.part(count, len(chunk)))
        return chunk.part(0, count)


def _is_long(chunk: Chunk) -> bool:
    return sum(map(len, chunk.texts)) >= MOST_CHARACTERS


def _fitting(texts: list[Text]) -> int:
    """Return how many of the texts have at most MOST_CHARACTERS together, and at least 1."""
    if sum(map(len, texts)) <= MOST_CHARACTERS:
        return len(texts)
    characters = 0
    for number, text in enumerate(texts):
        characters += len(text)
        if characters > MOST_CHARACTERS:
            return max(1, number)
    return len(texts)
