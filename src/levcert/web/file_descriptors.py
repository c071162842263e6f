"""How many connections this process can hold: out of file descriptors, asyncio would spin and fill the log."""

from __future__ import annotations

import os
from typing import Final

from levcert.errors import InputError

_RESERVED: Final = 16  # for static files and libraries
_LONGEST_BACKLOG: Final = 64  # connections accepted in one turn of the event loop
_TURNS: Final = 5  # until a connection that was accepted and rejected is closed


def connections_that_fit(wanted: int) -> tuple[int, int]:
    """Return how many connections may be open and how many accepted in one go; raise the soft limit where we may."""
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return wanted, _LONGEST_BACKLOG
    used = _open_descriptors() + _RESERVED
    needed = used + wanted + _TURNS * _LONGEST_BACKLOG
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != resource.RLIM_INFINITY and soft < needed:
        soft = needed if hard == resource.RLIM_INFINITY else min(needed, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    if soft == resource.RLIM_INFINITY or soft >= needed:
        return wanted, _LONGEST_BACKLOG
    room = soft - used
    backlog = min(_LONGEST_BACKLOG, room // (2 * _TURNS))
    if backlog < 1:
        raise InputError(f"Only {soft} file descriptors are allowed, and {used} are in use; raise `ulimit -n`.")
    return min(wanted, room - _TURNS * backlog), backlog


def _open_descriptors() -> int:
    try:
        return len(os.listdir("/proc/self/fd"))
    except OSError:  # not Linux
        return 32
