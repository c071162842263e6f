"""The progress bar of all long runs: on stderr, and only for people; nothing is shown if stderr is not a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from types import TracebackType
from typing import TYPE_CHECKING, Self, TypeVar

if TYPE_CHECKING:
    from rich.console import Console

T = TypeVar("T")


class ProgressBar:
    """Shows what is done, how much of it, and how fast; with a known total also the total and the time left.

    A ``note`` is shown behind.  A transient bar disappears at the end of the run.
    """

    def __init__(
        self,
        what: str,
        total: int | None = None,
        *,
        show: bool = True,
        transient: bool = False,
        console: Console | None = None,
    ) -> None:
        from rich import console as screens
        from rich.progress import BarColumn, Progress, TimeElapsedColumn, TimeRemainingColumn

        screen = console or screens.Console(stderr=True)
        columns = (
            "{task.description}",
            BarColumn(),
            "[progress.download]{task.completed:,.0f}{task.fields[of]}",
            "{task.fields[rate]}",
            TimeElapsedColumn(),
            TimeRemainingColumn(),
            "{task.fields[note]}",
        )
        self._hidden = not (show and screen.is_terminal)
        self._bar = Progress(*columns, console=screen, transient=transient, disable=self._hidden)
        self._task = self._bar.add_task(what, total=total, rate="", note="", of=_of(total))

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bar.stop()

    def advance(self) -> None:
        """Count one more."""
        if not self._hidden:
            self._bar.advance(self._task)
            self._show_rate()

    def update(self, finished: int, total: int | None = None, note: str = "", what: str | None = None) -> None:
        """Show how many of how many are finished; None leaves the total or what is done as it was."""
        if not self._hidden:
            self._bar.update(self._task, completed=finished, total=total, description=what, note=note)
            self._bar.update(self._task, of=_of(self._bar.tasks[0].total))
            self._show_rate()

    def _show_rate(self) -> None:
        speed = self._bar.tasks[0].speed
        if speed:
            self._bar.update(self._task, rate=_rate(speed))


def _rate(speed: float) -> str:
    if speed < 1:
        return f"{1 / speed:,.1f} s each"
    return f"{speed:,.1f}/s" if speed < 10 else f"{speed:,.0f}/s"


def _of(total: float | None) -> str:
    """Return the total as it stands behind the count; nothing while it is not known."""
    return "" if total is None else f"/{total:,.0f}"


def watched(rows: Iterable[T], what: str, total: int | None = None) -> Iterator[T]:
    """Yield the rows, with a bar that counts them and disappears at the end."""
    with ProgressBar(what, total, transient=True) as bar:
        for row in rows:
            yield row
            bar.advance()
