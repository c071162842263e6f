"""Files that are written completely or not at all."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from levcert.errors import InputError


@contextmanager
def atomic_path(path: str | Path) -> Iterator[Path]:
    """Yield a temporary path next to ``path``; on success move the file there, on any failure remove it.

    A reader of ``path`` sees the old file or the complete new one, never a part, even if the
    process is killed.
    """
    path = Path(path)
    try:
        if path.is_dir():
            raise InputError(f"Cannot write {path}: it is a folder. Choose another name.")
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".part", dir=path.parent)
    except InputError:
        raise
    except (OSError, ValueError) as error:  # ValueError: a NUL in the name
        cause = error.strerror if isinstance(error, OSError) else error
        raise InputError(f"Cannot write {path}: {cause}. Choose a folder that you may write to.") from None
    os.close(handle)
    part = Path(name)
    try:
        yield part
        umask = os.umask(0)
        os.umask(umask)
        part.chmod(0o666 & ~umask)  # mkstemp makes private files; results are meant to be shared
        with part.open("rb") as written:
            os.fsync(written.fileno())
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def existing_file(path: str | Path) -> Path:
    """Return ``path`` if it is a readable file; otherwise say what is wrong with it."""
    path = Path(path)
    if path.is_dir():
        raise InputError(f"{path} is a folder; give the path of a file in it.")
    if not path.exists():
        raise InputError(f"{path} does not exist; check the spelling and the folder.")
    if not os.access(path, os.R_OK):
        raise InputError(f"Cannot read {path}: permission denied. Change its permissions.")
    return path


def check_model_path(path: str | Path) -> None:
    """Reject a model path that cannot be written, before hours of training rather than after."""
    path = Path(path)
    if path.suffix != ".safetensors":
        raise InputError(f"Cannot write the model to {path}: the name must end in .safetensors.")
    check_writable(path)


def check_writable(path: Path) -> None:
    """Reject a path that cannot be written."""
    if path.is_dir():
        raise InputError(f"Cannot write {path}: it is a folder. Choose another name.")
    if not path.parent.is_dir() or not os.access(path.parent, os.W_OK):
        raise InputError(f"Cannot write {path}: its folder does not exist or is not writable. Choose another.")
