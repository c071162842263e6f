"""How a command ends: 0, 2 for bad input with one sentence, 130 after Ctrl-C; never a traceback for any of them."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from functools import wraps
from typing import Final

import typer

from levcert.errors import InputError

# What to install where a module is missing.
_EXTRAS: Final = {"torch": "train", "sklearn": "sklearn", "fastapi": "web", "uvicorn": "web", "distributed": "cluster"}


def with_endings(command: Callable[..., None]) -> Callable[..., None]:
    """Wrap a command so that whatever stops it is said in one sentence on stderr."""

    @wraps(command)
    def run(*arguments: object, **options: object) -> None:
        try:
            command(*arguments, **options)
            sys.stdout.flush()
        except InputError as error:
            raise _ending(2, str(error)) from None
        except BrokenPipeError:  # the reader of our pipe (head, less) has seen enough
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        except KeyboardInterrupt as interrupt:
            raise _ending(130, str(interrupt) or "interrupted.") from None
        except ModuleNotFoundError as error:
            if error.name not in _EXTRAS:
                raise
            extra = _EXTRAS[error.name]
            raise _ending(2, f"This needs {error.name}; install it with: pip install 'levcert[{extra}]'.") from None
        except OSError as error:  # a full disk, a lost network folder
            raise _ending(2, f"{error.filename or 'A file'}: {error.strerror or error}.") from None

    return run


def say(sentence: str) -> None:
    """Tell the person at the terminal; stdout is for results."""
    print(f"levcert: {sentence}", file=sys.stderr, flush=True)


def _ending(code: int, sentence: str) -> typer.Exit:
    say(sentence)
    return typer.Exit(code)
