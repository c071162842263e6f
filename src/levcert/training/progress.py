"""How far a training run is: its sums, its progress bar (on stderr, only for people), and how it is interrupted."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any

from rich.progress import TimeRemainingColumn

from levcert.runs.progress_bar import bar


@dataclass
class Progress:
    """Where a run stands: so many whole epochs, so many steps of the next, and its sums so far."""

    epoch: int = 0
    step: int = 0
    loss_sum: float = 0.0
    right: int = 0
    seen: int = 0
    seconds: float = 0.0
    history: list[dict[str, float]] = field(default_factory=list)

    def count(self, rows: int, loss: float, right: int) -> None:
        """Add one step to the sums."""
        self.step += 1
        self.loss_sum += loss * rows
        self.right += right
        self.seen += rows

    def end_epoch(self, metrics: dict[str, float]) -> None:
        """Turn the sums into means and begin the next epoch."""
        self.history.append({"loss": self.loss_sum / self.seen, "accuracy": self.right / self.seen, **metrics})
        self.epoch += 1
        self.step, self.loss_sum, self.right, self.seen = 0, 0.0, 0, 0


class Reporter:
    """Show epoch, loss, accuracy, learning rate and the time left; silent where stderr is no terminal."""

    def __init__(self, epochs: int, steps: int, *, show: bool) -> None:
        self._steps = steps
        self._bar = bar(
            "epoch {task.fields[epoch]}/{task.fields[epochs]}",
            "loss {task.fields[loss]:.4f}  accuracy {task.fields[accuracy]:.1%}  rate {task.fields[rate]:.3g}",
            TimeRemainingColumn(),
            show=show,
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

    def step(self, progress: Progress, rate: float) -> None:
        """Show the state after a step."""
        self._bar.update(
            self._task,
            completed=progress.epoch * self._steps + progress.step,
            epoch=progress.epoch + 1,
            loss=progress.loss_sum / progress.seen,
            accuracy=progress.right / progress.seen,
            rate=rate,
        )


@dataclass
class Steps:
    """How a run takes its steps: they are shown, and Ctrl-C and the time of the last save are looked at in between."""

    save: Callable[[], None]
    seconds_between_saves: float
    reporter: Reporter
    interrupted: threading.Event
    saved: float = field(default_factory=time.perf_counter)

    def take(self, progress: Progress, steps: int, step: Callable[[int], float]) -> None:
        """Take the steps of an epoch that are left; ``step`` gets its number and returns its learning rate."""
        started = time.perf_counter() - progress.seconds
        while progress.step < steps:
            rate = step(progress.step)
            progress.seconds = time.perf_counter() - started
            self.reporter.step(progress, rate)
            if self.interrupted.is_set():
                self.save()
                raise KeyboardInterrupt
            if time.perf_counter() - self.saved > self.seconds_between_saves:
                self.save()
                self.saved = time.perf_counter()


@contextmanager
def polite_interrupt() -> Iterator[threading.Event]:
    """Turn Ctrl-C into a flag that is looked at between steps; a second Ctrl-C interrupts at once."""
    asked = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield asked
        return

    def handle(signum: int, frame: Any) -> None:
        if asked.is_set():
            raise KeyboardInterrupt
        asked.set()

    before = signal.signal(signal.SIGINT, handle)
    try:
        yield asked
    finally:
        signal.signal(signal.SIGINT, before)
