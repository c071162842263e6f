"""How a command ends: 0, 2 with one sentence (bad input, SIGTERM, a closed pipe), 130 after Ctrl-C; no traceback."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final, TextIO

import typer
from typer.core import TyperGroup

from levcert.errors import InputError, cure_of
from levcert.text.printable import printable

# A bad option or argument.  typer has its own copy of click's class or, in older versions, click's, and names neither.
_UsageError: Final[Any] = typer.BadParameter.__base__


class Terminated(KeyboardInterrupt):
    """The process was asked to end by SIGTERM; whatever handles Ctrl-C handles this, too."""


def end_on_sigterm() -> None:
    """Let SIGTERM (of kill, a batch system, a shutdown) interrupt the command as Ctrl-C does."""

    def terminate(*_: object) -> None:
        raise Terminated("stopped by SIGTERM.")

    signal.signal(signal.SIGTERM, terminate)


class Commands(TyperGroup):
    """A group whose commands, and those of groups inside it, end as this file says."""

    def invoke(self, ctx: Any) -> Any:
        with _endings():
            return super().invoke(ctx)


@contextmanager
def _endings() -> Iterator[None]:
    """Say in one sentence on stderr whatever stops a command."""
    try:
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGINT, signal.default_int_handler)  # up to here, levcert.__main__ ends at once
        yield
        sys.stdout.flush()
    except InputError as error:
        raise _ending(2, str(error)) from None
    except _UsageError as error:
        error.message = printable(error.message)  # it may quote the name of a file
        raise
    except BrokenPipeError:  # head and less leave early; a script must not take what it got for everything
        _close(sys.stdout)
        raise _ending(2, "The program that reads the output stopped reading; the rest is not printed.") from None
    except Terminated as interrupt:
        raise _ending(2, str(interrupt)) from None
    except KeyboardInterrupt as interrupt:
        raise _ending(130, str(interrupt) or "interrupted.") from None
    except ModuleNotFoundError as error:
        if not (cure := cure_of(error)):
            raise
        raise _ending(2, f"This {cure}") from None
    except OSError as error:  # a full disk, a lost network folder
        raise _ending(2, f"{error.filename or 'A file'}: {error.strerror or error}.") from None
    except MemoryError:
        raise _ending(2, "There is not enough memory; use a smaller model, or shorter or fewer texts.") from None


def say(sentence: str) -> None:
    """Tell the person at the terminal, in one line; stdout is for results."""
    try:
        print(f"levcert: {printable(sentence)}", file=sys.stderr, flush=True)
    except OSError:  # nobody listens
        _close(sys.stderr)


def _ending(code: int, sentence: str) -> typer.Exit:
    say(sentence)
    try:
        sys.stdout.flush()
    except OSError:
        _close(sys.stdout)
    return typer.Exit(code)


def _close(stream: TextIO) -> None:
    """Send what is still to be written to a stream nowhere: the interpreter flushes it when it ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
