"""The command ``levcert``: a list of commands; each is a function in ``levcert.commands``."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Final

import typer

from levcert.commands import benchmark
from levcert.commands.attack import attack
from levcert.commands.audit import audit
from levcert.commands.certify import certify
from levcert.commands.datasets import datasets
from levcert.commands.demo import demo
from levcert.commands.endings import Commands
from levcert.commands.evaluate import evaluate
from levcert.commands.info import info
from levcert.commands.predict import predict
from levcert.commands.report import report
from levcert.commands.serve import serve
from levcert.commands.train import train
from levcert.commands.tune import tune

app = typer.Typer(
    cls=Commands,
    help="Text classifiers with a proof that no k typos change the answer.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

# In the order in which --help lists them.
COMMANDS: Final[tuple[Callable[..., None], ...]] = (
    demo,
    datasets,
    train,
    tune,
    info,
    predict,
    certify,
    audit,
    attack,
    evaluate,
    report,
    serve,
)

for command in COMMANDS:
    app.command()(command)
app.add_typer(benchmark.app, name="benchmark")


def main() -> None:
    """Run the command; see ``levcert.commands.endings`` for how it ends."""
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]  # any text can be printed anywhere
    app()


if __name__ == "__main__":
    main()
