"""A progress bar on stderr, and only for people: nothing is shown where stderr is no terminal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeVar

T = TypeVar("T")


def watched(rows: Iterable[T], what: str, total: int | None = None, *, show: bool = True) -> Iterator[T]:
    """Give the rows on, with a bar that counts them; without a total it shows their number and the time."""
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    console = Console(stderr=True)
    columns = (
        TextColumn(what),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn() if total is None else TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, transient=True, disable=not (show and console.is_terminal)) as bar:
        task = bar.add_task(what, total=total)
        for row in rows:
            yield row
            bar.advance(task)
