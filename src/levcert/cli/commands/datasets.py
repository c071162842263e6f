"""``levcert datasets``."""

from __future__ import annotations

from typing import Annotated

import typer

from levcert.cli.inputs import DataDir
from levcert.cli.outputs import Json, print_json


def datasets(
    name: Annotated[
        str | None, typer.Argument(help="A dataset to load and describe; without it, all are listed.")
    ] = None,
    *,
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """List the datasets, or describe one.

    Example: levcert datasets toy
    """
    from levcert.cli.console import describe_dataset, list_datasets
    from levcert.datasets import DATASETS, load_dataset

    if name is not None:
        dataset = load_dataset(name, data_dir)
        if json:
            splits = {"train": dataset.train, "test": dataset.test}
            sizes = {split: len(rows) for split, rows in splits.items()}
            print_json({"name": dataset.name, "source": dataset.source, "labels": dataset.labels, "rows": sizes})
        else:
            describe_dataset(dataset)
    elif json:
        print_json({key: entry.description for key, entry in DATASETS.items()})
    else:
        list_datasets({key: entry.description for key, entry in DATASETS.items()})
