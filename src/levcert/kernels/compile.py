"""How kernels are compiled: once, cached on disk, without fast-math."""

from collections.abc import Callable
from typing import ParamSpec, TypeVar

import numba

P = ParamSpec("P")
T = TypeVar("T")


def kernel(function: Callable[P, T]) -> Callable[P, T]:
    """Compile a function of numpy arrays to machine code on its first call.

    Fast-math stays off, because certificates rest on IEEE rounding.  The machine code is cached beside the
    source or in the user's cache folder; where neither can be written, it is compiled anew in each process.
    """
    try:
        compiled: Callable[P, T] = numba.njit(cache=True, nogil=True, error_model="numpy")(function)
    except RuntimeError:  # numba's "cannot cache function: no locator available"
        compiled = numba.njit(nogil=True, error_model="numpy")(function)
    return compiled
