"""How a command runs over many rows: where they go, which workers, what is shown meanwhile: flags of many commands."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

import typer

from levcert.cli.exit_codes import say
from levcert.cli.inputs import say_skipped
from levcert.cli.outputs import Resume, check_output
from levcert.errors import InputError

if TYPE_CHECKING:
    from levcert.cli.model_flags import GivenModel
    from levcert.cli.run_tasks import ModelTask
    from levcert.datasets.sources import FileSource, LineSource, TextSource
    from levcert.runs.engine import Outcome, Run, Watch


@dataclass(frozen=True)
class RunFlags:
    """The flags of a run over many rows, checked before any work."""

    PANEL: ClassVar = "Output and workers"
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="Write rows to a .csv, .jsonl or .parquet file.")
    ] = None
    resume: Resume = False
    safe_csv: Annotated[
        bool,
        typer.Option("--safe-csv", help="Put an apostrophe before cells that a spreadsheet would take for formulas."),
    ] = False
    workers: Annotated[
        int | None,
        typer.Option(min=1, help="Processes that work in parallel; default: all cores for long runs over files."),
    ] = None
    cluster: Annotated[
        str | None, typer.Option(help="Run on a dask cluster: tcp://host:8786, tls://host:8786, or local:N.")
    ] = None
    tls_ca_file: Annotated[Path | None, typer.Option(help="Certificate of the authority, for a cluster with TLS.")] = (
        None
    )
    tls_cert: Annotated[Path | None, typer.Option(help="Certificate of this client, for a cluster with TLS.")] = None
    tls_key: Annotated[Path | None, typer.Option(help="Key of this client, for a cluster with TLS.")] = None
    progress: Annotated[
        Literal["bar", "json", "none"],
        typer.Option(help="On stderr: a bar (on terminals only), JSON lines, or nothing."),
    ] = "bar"

    def __post_init__(self) -> None:
        check_output(self.output, resume=self.resume)
        if self.safe_csv and (self.output is None or self.output.suffix != ".csv"):
            raise InputError("--safe-csv is for a .csv file; name one with -o.")
        if self.cluster is not None and self.workers is not None:
            raise InputError("Give --workers for this machine or --cluster for another one, not both.")

    @property
    def format(self) -> str:
        """How rows are written: as JSON lines if they go to stdout."""
        return ".jsonl" if self.output is None else "safe .csv" if self.safe_csv else self.output.suffix

    def write(
        self, task: ModelTask, source: FileSource | LineSource | TextSource, model: GivenModel, options: dict[str, Any]
    ) -> Outcome:
        """Write the rows to the output, and say what was skipped, or that they are there already."""
        import hashlib

        from levcert import __version__

        assert self.output is not None
        identity = {
            "levcert": __version__,
            "command": task.command,
            "model": {"file": str(model), "sha256": hashlib.sha256(task.model).hexdigest()},
            "options": options | self._about_rows,
            "inputs": source.identity(),
        }
        with self._watched(task.command) as watch:
            outcome = self._run(task, source, watch).write(self.output, identity, resume=self.resume)
        if outcome.found:
            say(f"{self.output} is complete already, with the same input, model and options; delete it to start over.")
        say_skipped(outcome.skipped)
        return outcome

    def print_lines(self, task: ModelTask, source: FileSource | LineSource | TextSource) -> None:
        """Print the rows as JSON lines, each chunk as soon as it is there."""
        with self._watched(task.command) as watch, closing(self._run(task, source, watch).answers()) as answers:
            for _, answer in answers:
                sys.stdout.write(answer.body.decode("ascii"))
                sys.stdout.flush()
        say_skipped(source.skipped)

    def count(self, task: ModelTask, source: FileSource | LineSource | TextSource) -> Iterator[Outcome]:
        """Give what the rows add up to so far, after each chunk."""
        with self._watched(task.command) as watch, closing(self._run(task, source, watch).count()) as outcomes:
            yield from outcomes
        say_skipped(source.skipped)

    @property
    def _about_rows(self) -> dict[str, Any]:
        """The flags that change the rows of the output."""
        return {"safe_csv": True} if self.safe_csv else {}

    def _run(self, task: ModelTask, source: Any, watch: Watch) -> Run:
        from levcert.datasets.sources import FileSource
        from levcert.runs.dask_cluster import Tls
        from levcert.runs.engine import Run
        from levcert.runs.workers import Plan

        workers = self.workers if isinstance(source, FileSource) or self.workers is not None else 1
        if workers != 1 or self.cluster is not None:
            source.live = False  # rows of a pipe then wait until there are enough for all workers
        plan = Plan(workers, self.cluster, Tls(self.tls_ca_file, self.tls_cert, self.tls_key))
        return Run(task, source, plan, say, watch)

    @contextmanager
    def _watched(self, command: str) -> Iterator[Watch]:
        from levcert.runs.progress_bar import ProgressBar
        from levcert.runs.progress_lines import ProgressLines

        if self.progress == "json":
            with ProgressLines(command) as lines:
                yield lines.update
        else:
            with ProgressBar(command, show=self.progress == "bar", transient=True) as bar:
                yield bar.update


@dataclass(frozen=True)
class TimedRunFlags(RunFlags):
    """The flags of a run whose rows take time."""

    seconds: Annotated[
        bool, typer.Option("--seconds", help="Also write the seconds for each row; such files differ from run to run.")
    ] = False

    @property
    def _about_rows(self) -> dict[str, Any]:
        return ({"seconds": True} if self.seconds else {}) | super()._about_rows
