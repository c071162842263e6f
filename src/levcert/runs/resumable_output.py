"""Rows of long runs: each one is on the disk before the next is computed, and an interrupted run can go on.

Until a run has ended, its rows are JSON lines in ``NAME.IDENTITY.part.jsonl`` beside the output, whose identity is a
hash of all that decides them (model, method, options): rows of different runs never mix.  Then they are written to
the output in its own format, and the part is removed.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from levcert.cli.exit_codes import say
from levcert.errors import InputError

if TYPE_CHECKING:
    from levcert.files.row_files import Columns, Record
    from levcert.text.alphabet import Text

Resume = Annotated[bool, typer.Option("--resume", help="Continue the interrupted run of this output file.")]


@dataclass(frozen=True)
class PartFile:
    """The unfinished rows of one output."""

    output: Path
    columns: Columns
    identity: str

    @property
    def path(self) -> Path:
        return self.output.with_name(f"{self.output.name}.{self.identity}.part.jsonl")

    def write(
        self, texts: Iterator[Text], answer: Callable[[Iterator[Text]], Iterator[Record]], *, resume: bool
    ) -> Iterator[Record]:
        """Answer all texts, or those that the interrupted run left; then write the output and give its rows."""
        from levcert.files.row_files import json_line, read_records, write_records

        done = self._already_done(texts, resume)
        try:
            with self.path.open("ab") as file:
                for record in answer(texts):
                    # A line that Ctrl-C interrupts is completed when the file is closed.
                    file.write(json_line(record, self.columns).encode() + b"\n")
                    file.flush()
                    done += 1
            write_records(read_records(self.path, self.columns), self.columns, self.output)
        except (KeyboardInterrupt, InputError) as reason:
            raise self._interrupted(reason, done) from None
        yield from read_records(self.path, self.columns)
        self.path.unlink()

    def _already_done(self, texts: Iterator[Text], resume: bool) -> int:
        """Pass over the texts that have a row; a row that the machine's end has torn is cut off."""
        if not self.path.exists():
            if resume:
                say(f"there is no interrupted run of {self.output} with this model and these options; starting anew.")
            return 0
        done = whole = 0
        with self.path.open("rb") as file:
            for line in file:
                if not line.endswith(b"\n"):
                    break
                done, whole = done + 1, whole + len(line)
                if resume:
                    self._check(line, done, next(texts, None))
        if done and not resume:
            raise InputError(f"{self.path} holds {done:,} rows of an interrupted run; add --resume, or delete it.")
        with self.path.open("r+b") as file:
            file.truncate(whole)
        return done

    def _check(self, line: bytes, number: int, given: Text | None) -> None:
        """Refuse a row that is not about the text at its place in the input."""
        from levcert.files.row_files import record_of_json

        try:
            text = record_of_json(line, self.columns)["text"]
        except (ValueError, TypeError, KeyError):
            raise InputError(f"Line {number} of {self.path} is damaged; delete the file and start anew.") from None
        if not _same_text(text, given):
            raise InputError(
                f"Line {number} of {self.path} is about another text than the input; delete the file, or give the "
                "input of the interrupted run."
            )

    def _interrupted(self, reason: BaseException, done: int) -> BaseException:
        """Return the reason with what has become of the rows."""
        if not done:
            self.path.unlink(missing_ok=True)
            return reason
        what = str(reason) or "interrupted."
        rows = f"{done:,} rows are in {self.path}" if done > 1 else f"1 row is in {self.path}"
        return type(reason)(f"{what} {rows}; the same command with --resume goes on from there.")


def identity_of(model: Path, *settings: object) -> str:
    """Return a short hash of a model file and of whatever else decides the rows."""
    with model.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256")
    digest.update(repr(settings).encode())
    return digest.hexdigest()[:8]


def _same_text(written: Text, given: Text | None) -> bool:
    """Compare a row's text with the input's; byte models write the bytes of a str."""
    if isinstance(written, bytes) and isinstance(given, str):
        return written == given.encode("utf-8")
    return written == given
