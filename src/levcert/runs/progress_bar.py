"""Progress bars: on stderr, and only for people; nothing is shown where stderr is no terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from rich.progress import Progress, ProgressColumn

T = TypeVar("T")


def bar(*columns: str | ProgressColumn, show: bool = True, transient: bool = False) -> Progress:
    """Return a bar that counts and draws itself, with further columns behind."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress

    console = Console(stderr=True)
    hidden = not (show and console.is_terminal)
    first, *rest = columns
    return Progress(
        first, BarColumn(), MofNCompleteColumn(), *rest, console=console, transient=transient, disable=hidden
    )


def watched(rows: Iterable[T], what: str, total: int | None = None, *, show: bool = True) -> Iterator[T]:
    """Give the rows on, with a bar that counts them; without a total it shows their number and the time."""
    from rich.progress import TimeElapsedColumn, TimeRemainingColumn

    time = TimeElapsedColumn() if total is None else TimeRemainingColumn()
    with bar(what, time, show=show, transient=True) as shown:
        task = shown.add_task(what, total=total)
        for row in rows:
            yield row
            shown.advance(task)


@contextmanager
def counter(what: str) -> Iterator[Callable[[int, int], None]]:
    """Give a function that shows how many of all are finished."""
    from rich.progress import TimeElapsedColumn, TimeRemainingColumn

    with bar(what, TimeElapsedColumn(), TimeRemainingColumn()) as shown:
        task = shown.add_task(what, total=None)
        yield lambda finished, total: shown.update(task, completed=finished, total=total)
