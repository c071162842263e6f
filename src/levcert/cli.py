"""The command ``levcert``: parse, call, print."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from levcert.errors import InputError

app = typer.Typer(
    help="Text classifiers with a proof that no k typos change the answer.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

DataDir = Annotated[
    Path | None, typer.Option(help="Folder with ag_news/, sst2/, imdb/, fake_news/; default: $LEVCERT_DATA.")
]


@app.command()
def demo() -> None:
    """Show the embedded dataset and the distances.  Example: levcert demo."""
    from levcert.demo import run_demo

    run_demo()


@app.command()
def datasets(
    name: Annotated[
        str | None, typer.Argument(help="A dataset to load and describe; without it, all are listed.")
    ] = None,
    data_dir: DataDir = None,
) -> None:
    """List the datasets, or describe one.  Example: levcert datasets languages."""
    from levcert.datasets import DATASETS, load_dataset
    from levcert.show import describe_dataset, list_datasets

    if name is None:
        list_datasets({key: entry.description for key, entry in DATASETS.items()})
    else:
        describe_dataset(load_dataset(name, data_dir))


def main() -> None:
    """Run the command; bad input is one sentence on stderr and exit code 2, Ctrl-C is 130."""
    try:
        app()
    except InputError as error:
        print(f"levcert: {error}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        print("levcert: interrupted.", file=sys.stderr)
        sys.exit(130)


if __name__ == "__main__":
    main()
