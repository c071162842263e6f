"""The command ``levcert``: a list of commands; each is a function in ``levcert.cli.commands``."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from typing import Annotated, Final

import typer

from levcert import __version__
from levcert.cli.commands import benchmark
from levcert.cli.commands.attack import attack
from levcert.cli.commands.audit import audit
from levcert.cli.commands.certify import certify
from levcert.cli.commands.check import check
from levcert.cli.commands.datasets import datasets
from levcert.cli.commands.demo import demo
from levcert.cli.commands.evaluate import evaluate
from levcert.cli.commands.info import info
from levcert.cli.commands.predict import predict
from levcert.cli.commands.report import report
from levcert.cli.commands.scan import scan
from levcert.cli.commands.serve import serve
from levcert.cli.commands.train import train
from levcert.cli.commands.tune import tune
from levcert.cli.exit_codes import Commands, end_on_sigterm

app = typer.Typer(
    cls=Commands,
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
    check,
    report,
    scan,
    serve,
)


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"levcert {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version and exit.", callback=_print_version, is_eager=True)
    ] = False,
) -> None:
    """Text classifiers with a proof that no k typos change the answer."""


for command in COMMANDS:
    app.command()(command)
app.add_typer(benchmark.app, name="benchmark")


def main() -> None:
    """Run the command; see ``levcert.cli.exit_codes`` for how it ends."""
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]  # any text can be printed anywhere
    # A warning is one sentence for the user, without the line of our code that it came from.
    warnings.formatwarning = lambda message, *_, **__: f"levcert: {message}\n"
    end_on_sigterm()
    app()
