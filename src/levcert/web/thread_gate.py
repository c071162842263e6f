"""All work goes through here: few threads, few waiting requests, and a time limit for each."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

from levcert.web.limits import Limits

T = TypeVar("T")


class BusyError(Exception):
    """Too many requests are waiting."""


class LateError(Exception):
    """A request has exceeded its time limit."""


class Gate:
    """Run work in threads.  Work receives its deadline and should check it now and then.

    Late work keeps its slot until it ends, so there is never more work than slots.
    """

    def __init__(self, limits: Limits) -> None:
        self._seconds = limits.seconds
        self._places = threading.BoundedSemaphore(limits.workers + limits.waiting)
        self._pool = ThreadPoolExecutor(limits.workers, thread_name_prefix="levcert")

    async def run(self, work: Callable[[float], T]) -> T:
        """Return what the work returns; raise BusyError immediately, or LateError at the deadline."""
        if not self._places.acquire(blocking=False):
            raise BusyError
        future: Future[T] = self._pool.submit(work, time.perf_counter() + self._seconds)
        future.add_done_callback(lambda _: self._places.release())
        waiting = asyncio.wrap_future(future)
        waiting.add_done_callback(_look_at)
        try:
            return await asyncio.wait_for(asyncio.shield(waiting), self._seconds)
        except TimeoutError:
            future.cancel()  # if it has not begun
            raise LateError from None


def _look_at(future: asyncio.Future[T]) -> None:
    """Retrieve an error that nobody waits for any more; otherwise asyncio would complain."""
    if not future.cancelled():
        future.exception()


def check_time(deadline: float) -> None:
    """Raise LateError after the deadline."""
    if time.perf_counter() > deadline:
        raise LateError
