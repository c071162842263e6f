"""The engine under all long runs: chunks in, workers, chunks out in the same order, in constant memory."""

from __future__ import annotations

import hashlib
import os
import time
from collections import Counter, deque
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import Future
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from levcert.errors import InputError
from levcert.files.atomic import atomic_path
from levcert.runs.chunk import Answer, Chunk, Source, Taker, Task
from levcert.runs.dask_cluster import in_words
from levcert.runs.manifest import Identity, file_facts, read_manifest, refuse, write_manifest
from levcert.runs.output_lock import sync_folder
from levcert.runs.part_file import PartFile, journal_path, part_path
from levcert.runs.workers import ALONE, Plan, Workers, workers_for

_SECONDS_PER_CHUNK: Final = 0.5  # chunks grow or shrink towards this
_MOST_ROWS: Final = 8192  # in one chunk


@dataclass
class Outcome:
    """What a run did: its rows, what their answers add up to, and which rows of the input could not be used."""

    rows: int = 0
    summary: Counter[str] = field(default_factory=Counter)
    skipped: dict[str, int] = field(default_factory=dict)
    found: bool = False  # the output was there already, complete

    def add(self, answer: Answer) -> None:
        self.rows += answer.rows
        self.summary.update(answer.summary)


Watch = Callable[[int, int | None], None]  # told how many rows are done, of how many


@dataclass(frozen=True)
class Run:
    """A task for all rows of a source.  ``say`` tells the user things; ``watch`` is told how far the run is."""

    task: Task
    source: Source
    plan: Plan = ALONE
    say: Callable[[str], None] = lambda sentence: None
    watch: Watch = lambda done, total: None

    def answers(self, taker: Taker | None = None, done: int = 0) -> Generator[tuple[Chunk, Answer]]:
        """Answer all chunks in order.  What the source gave before a bad row is answered before that is an error."""
        taker = taker or Taker(self.source.chunks(), live=self.source.live)
        self.watch(done, None)  # what an interrupted run has done is not the speed of this one
        with workers_for(self.task, self.plan) as workers:
            for chunk, answer in _in_order(taker, workers, min(self.task.rows_at_first, _MOST_ROWS)):
                yield chunk, answer
                done += len(chunk)
                self.watch(done, self.source.expected(done))

    def count(self) -> Generator[Outcome]:
        """Answer all rows and keep only what they add up to: the outcome so far, after each chunk."""
        outcome = Outcome(skipped=self.source.skipped)
        for _, answer in self.answers():
            outcome.add(answer)
            yield outcome

    def write(self, output: Path, identity: Identity, *, resume: bool) -> Outcome:
        """Write the rows to a file, or those that an interrupted run left.  A complete output is left as it is."""
        started = time.monotonic()
        with PartFile.opened(output) as part:
            manifest = read_manifest(output)
            if manifest is not None and manifest["identity"] == identity and identity["inputs"] is not None:
                part.finished = part.identity in (None, identity)
                return Outcome(manifest["rows"], Counter(manifest["summary"]), manifest["skipped"], found=True)
            taker = Taker(self.source.chunks(), live=self.source.live)
            self._begin(part, identity, taker, resume=resume, old=manifest)
            try:
                for chunk, answer in self.answers(taker, part.rows):
                    part.append(answer, _digest(chunk) if identity["inputs"] is None else None)
                if not part.rows:
                    part.append(self.task.start()(Chunk([], [], [], [])))
                facts = {"identity": identity, "rows": part.rows, "skipped": dict(self.source.skipped)}
                facts |= {"summary": dict(part.summary), "seconds": round(time.monotonic() - started, 1)}
                _finish(part, facts)
            except (KeyboardInterrupt, InputError, OSError) as reason:
                raise _interrupted(reason, part) from None
            return Outcome(part.rows, part.summary, dict(self.source.skipped))

    def _begin(
        self, part: PartFile, identity: Identity, taker: Taker, *, resume: bool, old: dict[str, Any] | None
    ) -> None:
        """Start from the first row, or from the first one that an interrupted run has not done."""
        files = f"{journal_path(part.output)} and {part_path(part.output)}"
        if part.rows and part.identity is not None:
            if not resume:
                raise InputError(
                    f"{part_path(part.output)} holds {_rows(part.rows)} of an interrupted run; add --resume, or delete "
                    f"{files}."
                )
            refuse(part.identity, identity, part.output, f"run it as it was begun, or delete {files} and start over")
            part.check()
            self._skip(part, taker)
            return
        if resume and old is not None:
            refuse(old["identity"], identity, part.output, "it is complete; leave out --resume to replace it")
        if resume:
            self.say(f"there is no interrupted run of {part.output}; starting with the first row.")
        part.begin(identity)

    def _skip(self, part: PartFile, taker: Taker) -> None:
        """Take the rows that are done; those of a pipe must be the same again."""
        first = 1
        for written in part.chunks():
            chunk = taker.take(written.rows, exactly=True)
            if written.rows and (
                chunk is None or len(chunk) < written.rows or (written.digest and _digest(chunk) != written.digest)
            ):
                raise InputError(
                    f"The input differs from that of the interrupted run in rows {first:,} to "
                    f"{first + written.rows - 1:,}; give the same input, or delete {journal_path(part.output)} and "
                    f"{part_path(part.output)} and start over."
                )
            first += written.rows


def _in_order(taker: Taker, workers: Workers, size: int) -> Iterator[tuple[Chunk, Answer]]:
    """Keep all workers busy, and give the answers in the order of the chunks."""
    running: deque[tuple[Chunk, Future[Answer]]] = deque()
    stopped: InputError | None = None
    ended = False
    while True:
        while not ended and len(running) < workers.at_once:
            try:
                chunk = taker.take(size)
            except InputError as error:
                stopped, chunk = error, None
            if chunk is None:
                ended = True
            else:
                running.append((chunk, workers.submit(chunk)))
        if not running:
            break
        chunk, future = running.popleft()
        try:
            answer = future.result()
        except Exception as error:
            raise in_words(error) from error
        size = _better_size(size, len(chunk), answer.seconds)
        yield chunk, answer
    if stopped is not None:
        raise stopped


def _better_size(size: int, rows: int, seconds: float) -> int:
    """Return how many rows the next chunk should have: at most twice as many as now, or a quarter."""
    if not rows:
        return size
    wanted = _SECONDS_PER_CHUNK * rows / max(seconds, 1e-6)
    return int(min(max(wanted, size / 4, 1), 2 * size, _MOST_ROWS))


def _digest(chunk: Chunk | None) -> str:
    digest = hashlib.sha256()
    for text in chunk.texts if chunk is not None else ():
        raw = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
        digest.update(b"%d " % len(raw) + raw)
    return digest.hexdigest()


def _finish(part: PartFile, facts: dict[str, Any]) -> None:
    """Turn the part into the output.  The manifest comes first: without its output it says nothing."""
    output = part.output
    if output.suffix == ".parquet":
        with atomic_path(output) as complete:
            _parquet_of(part_path(output), complete)
            written = file_facts(complete, output.name)
            write_manifest(output, facts | {"output": written})
        sync_folder(output)
    else:
        written = {"file": output.name, "bytes": part.bytes, "sha256": part.digest.hexdigest()}
        write_manifest(output, facts | {"output": written})
        os.replace(part_path(output), output)
        sync_folder(output)
    part.finished = True


def _parquet_of(path: Path, output: Path) -> None:
    import pyarrow as pa

    from levcert.files.row_files import write_parquet

    with pa.OSFile(str(path)) as file, pa.ipc.open_stream(file) as batches:
        write_parquet(batches, batches.schema, output)


def _interrupted(reason: BaseException, part: PartFile) -> BaseException:
    """Return the reason, and where the rows are."""
    part.read_journal()
    if isinstance(reason, OSError):  # a full disk, a lost network folder
        where = reason.filename or part_path(part.output)
        reason = InputError(f"Cannot write {where}: {reason.strerror or reason}.")
    if not part.rows:
        return reason
    what = str(reason) or "interrupted."
    are = "are" if part.rows != 1 else "is"
    return type(reason)(
        f"{what} {_rows(part.rows)} {are} in {part_path(part.output)}; run the same command with --resume to continue."
    )


def _rows(count: int) -> str:
    return f"{count:,} row{'s' * (count != 1)}"
