"""How far a training run is: its sums, its progress bar (on stderr, only for people), and how it is interrupted."""

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
    """Where a run stands: whole epochs, steps of the next one, and its sums so far."""

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
    """Show epoch, loss, accuracy, learning rate and the time left; silent where stderr is no terminal."""

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
