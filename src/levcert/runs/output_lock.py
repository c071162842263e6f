"""One writer for each output: a lock that the operating system releases when the process ends, in any way.

The lock is on the run's journal.  It says nothing to programs other than levcert, and file systems without locks (some
network folders) give none.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from levcert.errors import InputError

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]


@contextmanager
def locked(path: Path, output: Path) -> Iterator[BinaryIO]:
    """Open a file for reading and writing, as the only process that does; make it if it does not exist."""
    while True:
        with open_regular(path) as file:
            if not _lock(file):
                raise InputError(f"Another run is writing {output}; wait for it to end, or choose another output.")
            if _is_still(path, file):
                yield file
                return
            # The run that had the lock has ended and removed the file since we opened it: open what is there now.


def open_regular(path: Path, *, private: bool = False) -> BinaryIO:
    """Open a regular file without a buffer; never through a symbolic link, which could lead to any other file."""
    flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
    try:
        handle = os.open(path, flags, 0o600 if private else 0o666)
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.EMLINK):
            raise InputError(f"{path} is a symbolic link; delete it, rows are not written through links.") from None
        raise InputError(f"Cannot write {path}: {error.strerror}. Choose a folder that you may write to.") from None
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise InputError(f"{path} is not a regular file; delete it, or choose another output.")
    return open(handle, "r+b", buffering=0)


def sync_folder(path: Path) -> None:
    """Return when the names in the folder of ``path`` are on the disk."""
    if os.name == "posix":
        handle = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _lock(file: BinaryIO) -> bool:
    if fcntl is None:
        return True
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError as error:
        if error.errno not in (errno.ENOLCK, errno.ENOTSUP, errno.EINVAL):
            raise
    return True


def _is_still(path: Path, file: BinaryIO) -> bool:
    try:
        found = os.stat(path, follow_symlinks=False)
    except FileNotFoundError:
        return False
    return os.path.samestat(found, os.fstat(file.fileno()))
