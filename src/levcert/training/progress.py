"""The progress of a training run: its sums, its progress bar (on stderr, only on a terminal), and interruption."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from levcert.runs.progress_bar import ProgressBar

if TYPE_CHECKING:
    from rich.console import Console


@dataclass
class Progress:
    """Where a run stands: complete epochs, steps into the current one, and its sums so far."""

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


class Reporter(ProgressBar):
    """Show epoch, loss, accuracy, learning rate and the time left; silent if stderr is not a terminal."""

    def __init__(self, epochs: int, steps: int, *, show: bool, console: Console | None = None) -> None:
        super().__init__(f"epoch 1/{epochs}", epochs * steps, show=show, console=console)
        self._epochs, self._steps = epochs, steps

    def step(self, progress: Progress, rate: float) -> None:
        """Show the state after a step."""
        loss, accuracy = progress.loss_sum / progress.seen, progress.right / progress.seen
        self.update(
            progress.epoch * self._steps + progress.step,
            note=f"loss {loss:.4f}  accuracy {accuracy:.1%}  learning rate {rate:.3g}",
            what=f"epoch {progress.epoch + 1}/{self._epochs}",
        )


@dataclass
class Steps:
    """How a run takes its steps: each is shown, and between steps it checks for Ctrl-C and saves when due."""

    save: Callable[[], None]
    seconds_between_saves: float
    reporter: Reporter
    interrupted: threading.Event
    saved: float = field(default_factory=time.perf_counter)

    def take(self, progress: Progress, steps: int, step: Callable[[int], float]) -> None:
        """Take the remaining steps of an epoch; ``step`` takes its number and returns its learning rate."""
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
    """Turn Ctrl-C into a flag that is checked between steps; a second Ctrl-C interrupts immediately."""
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
