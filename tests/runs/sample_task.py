"""A task and a source for tests of the engine, at the top of a module so that other processes can import them."""

import os
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from levcert.errors import InputError
from levcert.files.row_encoders import ENCODERS
from levcert.runs.chunk import Answer, Chunk

COLUMNS = {"row": "integer", "text": "text", "length": "integer"}


@dataclass(frozen=True)
class Lengths:
    """Writes how long each text is; dies or stops at some texts if asked to."""

    format: str
    rows_at_first: int = 3
    deaths: Path | None = None  # at the text "die", once if this folder has no file "dead"; always if it is no folder
    stop_at: str | None = None
    answered: list[str] | None = None

    def start(self):
        return self.answer

    def answer(self, chunk: Chunk) -> Answer:
        if self.deaths is not None and "die" in chunk.texts:
            self._die(self.deaths)
        if self.stop_at in chunk.texts:
            raise KeyboardInterrupt
        if self.answered is not None:
            self.answered.extend(chunk.texts)
        table = {"row": chunk.rows, "text": chunk.texts, "length": list(map(len, chunk.texts))}
        return Answer(*ENCODERS[self.format](table, COLUMNS), len(chunk), {"characters": sum(table["length"])})

    @staticmethod
    def _die(folder: Path) -> None:
        if not folder.is_dir():
            os._exit(9)
        if not (folder / "dead").exists():
            (folder / "dead").touch()
            os._exit(9)


@dataclass
class Texts:
    """Texts in chunks of two, with an error after them if asked for."""

    texts: list[str]
    live: bool = False
    bad_after: str | None = None
    skipped: Counter[str] = field(default_factory=Counter)

    def chunks(self) -> Iterator[Chunk]:
        for first in range(0, len(self.texts), 2):
            texts = self.texts[first : first + 2]
            yield Chunk(["rows"] * len(texts), list(range(first + 1, first + 1 + len(texts))), texts)
        if self.bad_after is not None:
            raise InputError(self.bad_after)

    def expected(self, given: int) -> int | None:
        return len(self.texts)
