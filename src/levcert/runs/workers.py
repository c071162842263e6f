"""Who answers chunks: this process, several processes, or a cluster; all with one interface, and the task sent once."""

from __future__ import annotations

import hashlib
import os
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from levcert.runs.chunk import Answer, Chunk, Task
from levcert.runs.dask_cluster import Tls, begin_on_workers, connected, workers_of
from levcert.runs.process_pool import ReplacingPool

_ALONE: Final = 1.5  # seconds after which a run of unknown size starts other workers

_TASKS: Final[dict[str, Task]] = {}  # of this process, by the key of their run
_STARTED: Final[dict[str, Callable[[Chunk], Answer]]] = {}
_STARTING: Final = threading.Lock()


@dataclass(frozen=True)
class Plan:
    """How many workers, and where.  ``workers=None``: all cores of this machine, if the run turns out to be long."""

    workers: int | None = 1
    cluster: str | None = None
    tls: Tls | None = None


ALONE: Final = Plan()


class Workers:
    """Answers chunks on an executor; ``at_once`` is how many chunks it should have at any time."""

    def __init__(self, executor: Executor, key: str, count: int) -> None:
        self._executor, self._key = executor, key
        self.at_once = 1 if count == 1 and isinstance(executor, SerialExecutor) else 3 * count

    def submit(self, chunk: Chunk) -> Future[Answer]:
        """Start to answer a chunk."""
        return self._executor.submit(answer, self._key, chunk)


class GrowingWorkers(Workers):
    """Answers in this process until the run turns out to be long; meanwhile other processes start."""

    def __init__(self, key: str, count: int, stack: ExitStack) -> None:
        super().__init__(SerialExecutor(), key, 1)
        self._count, self._stack = count, stack
        self._began = time.monotonic()
        self._pool: ReplacingPool | None = None
        self._ready: Future[Any] | None = None

    def submit(self, chunk: Chunk) -> Future[Answer]:
        if self._pool is None and time.monotonic() - self._began > _ALONE:
            self._pool = self._stack.enter_context(_pool(self._key, self._count))
            self._ready = self._pool.submit(_get_ready, self._key)
        if self._pool is not None and self._ready is not None and self._ready.done():
            self._executor, self.at_once, self._ready = self._pool, 3 * self._count, None
        return super().submit(chunk)


@contextmanager
def workers_for(task: Task, plan: Plan) -> Iterator[Workers]:
    """Give the workers of a plan, each with the task; after an error or Ctrl-C they end at once."""
    key = uuid.uuid4().hex
    begin = partial(_accept, key, task)
    begin()
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    try:
        with ExitStack() as stack:
            if plan.cluster is not None:
                client = stack.enter_context(connected(plan.cluster, plan.tls))
                begin_on_workers(client, f"levcert-{key}", begin)
                yield Workers(client.get_executor(pure=False), key, workers_of(client))
            elif plan.workers is None and cores > 1:
                yield GrowingWorkers(key, cores, stack)
            elif plan.workers is None or plan.workers == 1:
                yield Workers(SerialExecutor(), key, 1)
            else:
                yield Workers(stack.enter_context(_pool(key, plan.workers)), key, plan.workers)
    finally:
        _TASKS.pop(key, None)
        _STARTED.pop(key, None)


def answer(key: str, chunk: Chunk) -> Answer:
    """Answer a chunk in this process, with the task of a run."""
    answered = _start(key)
    started = time.perf_counter()
    result = answered(chunk)
    result.seconds = time.perf_counter() - started
    result.sha256 = hashlib.sha256(result.body).hexdigest()
    return result


class SerialExecutor(Executor):
    """Run everything immediately, in this process."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as error:
            future.set_exception(error)
        return future


def _accept(key: str, task: Task) -> None:
    _TASKS[key] = task


def _get_ready(key: str) -> None:
    _start(key)


@contextmanager
def _pool(key: str, count: int) -> Iterator[ReplacingPool]:
    with ReplacingPool(count, partial(_accept, key, _TASKS[key]), "the same rows") as pool:
        yield pool


def _start(key: str) -> Callable[[Chunk], Answer]:
    with _STARTING:
        if key not in _STARTED:
            _STARTED[key] = _TASKS[key].start()
    return _STARTED[key]
