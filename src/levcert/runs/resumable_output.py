"""The output of a long run: its rows survive an interruption, and the same command can continue.

Until a run has ended, its rows are lines of a journal, ``NAME.IDENTITY.part.jsonl`` beside the output.  The identity is
a hash of all that decides the rows (model, method, options), so rows of different runs never mix.  At the end the
journal becomes the output: a ``.jsonl`` file by its new name, any other format by one pass over the journal.
"""

from __future__ import annotations

import hashlib
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from levcert.errors import InputError
from levcert.runs.journal import Journal

if TYPE_CHECKING:
    from levcert.files.row_files import Columns, Record
    from levcert.text.alphabet import Text


@dataclass(frozen=True)
class ResumableOutput:
    """A file of rows, one for each text, that is written whole at the end of a run; ``say`` tells the user things."""

    output: Path
    columns: Columns
    identity: str
    say: Callable[[str], None]

    @property
    def path(self) -> Path:
        """Where the rows are until the run has ended."""
        return self.output.with_name(f"{self.output.name}.{self.identity}.part.jsonl")

    @property
    def journal(self) -> Journal:
        return Journal(self.path)

    def write(
        self,
        texts: Iterator[Text],
        answer: Callable[[Iterator[Text]], Iterable[Record]],
        *,
        resume: bool,
        seen: Callable[[Record], None] = lambda record: None,
    ) -> None:
        """Answer all texts, or those that an interrupted run left; then write the output.  ``seen`` gets every row."""
        from levcert.files.row_files import json_line

        done = self._skip_done(texts, resume)
        try:
            with self.journal.appending() as append:
                for record in answer(texts):
                    append(json_line(record, self.columns))
                    done += 1
            self._finish(seen)
        except (KeyboardInterrupt, InputError) as reason:
            raise self._interrupted(reason, done) from None

    def _finish(self, seen: Callable[[Record], None]) -> None:
        """Turn the journal into the output; each row is parsed once, on its way there."""
        from levcert.files.row_files import write_records

        def shown(record: Record) -> Record:
            seen(record)
            return record

        records = map(shown, self._records())
        if self.output.suffix == self.path.suffix:  # the journal already has the format of the output
            deque(records, maxlen=0)
            self.path.replace(self.output)
        else:
            write_records(records, self.columns, self.output)
            self.path.unlink()

    def _records(self) -> Iterator[Record]:
        from levcert.files.row_files import record_of_json

        for number, line in enumerate(self.journal.lines(), 1):
            try:
                yield record_of_json(line, self.columns)
            except (ValueError, TypeError):
                raise self._damaged(number) from None

    def _skip_done(self, texts: Iterator[Text], resume: bool) -> int:
        """Skip the texts that have a row, and return how many have one."""
        if resume and not self.path.exists():
            self.say(f"there is no interrupted run of {self.output} with this model and these options; starting over.")
        done = 0
        for done, line in enumerate(self.journal.lines(), 1):
            if resume:
                self._check(line, done, next(texts, None))
        if done and not resume:
            raise InputError(f"{self.path} holds {done:,} rows of an interrupted run; add --resume, or delete it.")
        return done

    def _check(self, line: bytes, number: int, given: Text | None) -> None:
        """Refuse a row that is not about the text at its place in the input; it begins with that text."""
        from levcert.files.row_files import json_line

        texts = [] if given is None else [given]
        if isinstance(given, str):
            texts.append(given.encode("utf-8", "surrogatepass"))  # byte models write the bytes of a str
        begins = [json_line({"text": text}, {"text": "text"})[:-1].encode() + b", " for text in texts]
        if not line.endswith(b"}"):
            raise self._damaged(number)
        if not line.startswith(tuple(begins)):
            raise InputError(
                f"Line {number} of {self.path} is about another text than row {number} of the input; delete the file, "
                "or use the input of the interrupted run."
            )

    def _damaged(self, number: int) -> InputError:
        return InputError(f"Line {number} of {self.path} is damaged; delete the file and start over.")

    def _interrupted(self, reason: BaseException, done: int) -> BaseException:
        """Return the reason, and where the rows are."""
        if not done:
            self.path.unlink(missing_ok=True)
            return reason
        what = str(reason) or "interrupted."
        rows = f"{done:,} rows are in {self.path}" if done > 1 else f"1 row is in {self.path}"
        return type(reason)(f"{what} {rows}; run the same command with --resume to continue.")


def identity_of(model: Path, *settings: object) -> str:
    """Return a short hash of a model file and of everything else that the rows depend on."""
    with model.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256")
    digest.update(repr(settings).encode())
    return digest.hexdigest()[:8]
