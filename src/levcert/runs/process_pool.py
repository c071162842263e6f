"""A pool of processes in which a worker that dies is replaced, and its work done again."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from typing import Any, Final

from levcert.errors import InputError

ATTEMPTS: Final = 3
_THREADS: Final = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


class ReplacingPool(Executor):
    """Processes that each call ``begin`` once; work that was lost with a worker starts again.

    If workers die three times and nothing is finished in between, the work itself kills them, and is an error.
    Workers ignore Ctrl-C, which the parent handles, and end when their parent does.
    """

    def __init__(self, workers: int, begin: Callable[[], None] | None = None, what: str = "this part of the work"):
        self._workers, self._begin, self._what = workers, begin, what
        self._lock = threading.RLock()
        self._ended = False
        self._deaths = 0  # since something was finished
        self._pool = self._new_pool()

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        outer: Future[Any] = Future()
        outer.set_running_or_notify_cancel()
        self._send(outer, partial(fn, *args, **kwargs))
        return outer

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End the workers; with ``cancel_futures``, in the middle of what they do."""
        with self._lock:
            self._ended = True
            workers = list((getattr(self._pool, "_processes", None) or {}).values())
        if cancel_futures:
            for process in workers:
                process.kill()
        self._pool.shutdown(wait=wait, cancel_futures=cancel_futures)

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self.shutdown(cancel_futures=kind is not None)

    def _send(self, outer: Future[Any], work: Callable[[], Any]) -> None:
        with self._lock:
            if self._ended:
                outer.set_exception(InputError("The run has ended."))
                return
            try:
                inner = self._pool.submit(work)
            except BrokenProcessPool:  # a worker died while nobody waited for it
                self._pool = self._new_pool()
                inner = self._pool.submit(work)
            pool = self._pool
        inner.add_done_callback(partial(self._receive, outer, work, pool))

    def _receive(self, outer: Future[Any], work: Callable[[], Any], pool: Executor, inner: Future[Any]) -> None:
        if inner.cancelled():
            outer.set_exception(InputError("The run has ended."))
            return
        if not isinstance(error := inner.exception(), BrokenProcessPool):
            self._deaths = 0
            if error is None:
                outer.set_result(inner.result())
            else:
                outer.set_exception(error)
            return
        with self._lock:
            if self._pool is pool and not self._ended:
                self._pool = self._new_pool()
                self._deaths += 1
            gave_up = self._deaths >= ATTEMPTS
        if gave_up:
            outer.set_exception(
                InputError(f"A worker died {ATTEMPTS} times over {self._what}; it may need more memory than there is.")
            )
        else:
            self._send(outer, work)

    def _new_pool(self) -> ProcessPoolExecutor:
        for name in _THREADS:  # each worker is one of many: it computes with one thread
            os.environ.setdefault(name, "1")
        context = multiprocessing.get_context("spawn")  # threads of torch and numba do not survive a fork
        return ProcessPoolExecutor(self._workers, mp_context=context, initializer=_begin, initargs=(self._begin,))


def _begin(begin: Callable[[], None] | None) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    if begin is not None:
        begin()


def _end_with_parent() -> None:
    """End a worker when its parent was killed, instead of waiting for work forever."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
    os._exit(1)
