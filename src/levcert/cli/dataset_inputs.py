"""Where labelled rows come from: a dataset's name or a file with columns."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from levcert.cli.exit_codes import say

if TYPE_CHECKING:
    from levcert.datasets import Dataset

BadRow = Literal["error", "skip"]

Data = Annotated[str, typer.Argument(help="A dataset's name (see levcert datasets), or a csv/tsv/jsonl/parquet file.")]
DataDir = Annotated[
    Path | None, typer.Option(help="Folder with ag_news/, sst2/, imdb/, fake_news/; default: $LEVCERT_DATA.")
]
TextColumn = Annotated[str, typer.Option(help="Column of the texts, for files.")]
LabelColumn = Annotated[str, typer.Option(help="Column of the labels, for files.")]
OnBadRow = Annotated[BadRow, typer.Option(help="What to do with a row that cannot be used.")]


def is_file(data: str) -> bool:
    """Say whether this names a file rather than a dataset."""
    from levcert.datasets import is_file

    return is_file(data)


def load_data(
    data: str, data_dir: Path | None, test: Path | None, text_column: str, label_column: str, on_bad_row: BadRow
) -> Dataset:
    """Load a dataset by name or from files; say on stderr how many bad rows were passed over."""
    from levcert.datasets import dataset_from_files, load_dataset

    if not is_file(data):
        return load_dataset(data, data_dir)
    skipped: Counter[str] = Counter()
    dataset = dataset_from_files(
        data, test, text_column=text_column, label_column=label_column, on_bad_row=on_bad_row, skipped=skipped
    )
    say_skipped(skipped)
    return dataset


def say_skipped(skipped: Counter[str]) -> None:
    """Say how many bad rows were passed over, and why."""
    for reason, count in skipped.most_common():
        say(f"{count:,} rows passed over: {reason}")
