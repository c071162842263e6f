"""How kernels are compiled: once, cached on disk, without fast-math."""

import sys
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

import numba
from numba.core import event

P = ParamSpec("P")
T = TypeVar("T")


def kernel(function: Callable[P, T]) -> Callable[P, T]:
    """Compile a function of numpy arrays to machine code on its first call.

    Fast-math stays off, because certificates rest on IEEE rounding.  The machine code is cached beside the
    source or in the user's cache folder; where neither can be written, it is compiled again in each process.
    """
    try:
        compiled: Callable[P, T] = numba.njit(cache=True, nogil=True, error_model="numpy")(function)
    except RuntimeError:  # numba's "cannot cache function: no locator available"
        compiled = numba.njit(nogil=True, error_model="numpy")(function)
    return compiled


def reordering_kernel(function: Callable[P, T]) -> Callable[P, T]:
    """As :func:`kernel`, but sums may be taken in any order, as vector registers like it: for training only."""
    orders = {"reassoc", "nsz"}
    try:
        compiled: Callable[P, T] = numba.njit(cache=True, nogil=True, error_model="numpy", fastmath=orders)(function)
    except RuntimeError:
        compiled = numba.njit(nogil=True, error_model="numpy", fastmath=orders)(function)
    return compiled


class _Announcer(event.Listener):
    """Say once per process that the wait is for the compiler; what is compiled is kept, so later runs do not wait."""

    said = False

    def on_start(self, _event: Any) -> None:
        if not self.said:
            self.said = True
            print("levcert: compiling kernels for this run; later runs find them on disk.", file=sys.stderr, flush=True)

    def on_end(self, _event: Any) -> None:
        pass


event.register("numba:compile", _Announcer())  # type: ignore[no-untyped-call]
