"""The progress bar of a training run, on stderr and only for people."""

from __future__ import annotations

from types import TracebackType

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from levcert.training import checkpoint


class Reporter:
    """Show epoch, loss, accuracy, learning rate and the time left; silent where stderr is no terminal."""

    def __init__(self, epochs: int, steps: int, *, show: bool) -> None:
        console = Console(stderr=True)
        self._epochs, self._steps = epochs, steps
        self._bar = Progress(
            TextColumn("epoch {task.fields[epoch]}/{task.fields[epochs]}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn(
                "loss {task.fields[loss]:.4f}  accuracy {task.fields[accuracy]:.1%}  rate {task.fields[rate]:.3g}"
            ),
            TimeRemainingColumn(),
            console=console,
            disable=not (show and console.is_terminal),
        )
        self._task = self._bar.add_task(
            "", total=epochs * steps, epoch=1, epochs=epochs, loss=float("nan"), accuracy=0.0, rate=0.0
        )

    def __enter__(self) -> Reporter:
        self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bar.stop()

    def step(self, progress: checkpoint.Progress, rate: float) -> None:
        """Show the state after a step."""
        self._bar.update(
            self._task,
            completed=progress.epoch * self._steps + progress.step,
            epoch=progress.epoch + 1,
            loss=progress.loss_sum / progress.seen,
            accuracy=progress.right / progress.seen,
            rate=rate,
        )
