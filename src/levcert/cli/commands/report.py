"""``levcert report``: how robust a model is on the texts of a dataset, as one HTML file."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from levcert.cli.commands.certify import Method
from levcert.cli.dataset_inputs import BadRow, Data, DataDir, LabelColumn, OnBadRow, TextColumn, is_file, say_skipped
from levcert.cli.model_argument import ModelFile
from levcert.errors import InputError
from levcert.runs.progress_bar import watched

if TYPE_CHECKING:
    from levcert.text.alphabet import Text


def report(
    model: ModelFile,
    data: Data,
    output: Annotated[Path, typer.Option("-o", "--output", help="The HTML file to write.")] = Path("report.html"),
    *,
    rows: Annotated[int, typer.Option(help="How many texts.", min=1)] = 1_000,
    shuffle: Annotated[int | None, typer.Option(help="Take random rows by this seed instead of the first.")] = None,
    max_distance: Annotated[
        int | None, typer.Option(help="Where the curve ends.", show_default="up to 10", min=1)
    ] = None,
    method: Method = "auto",
    budget: Annotated[
        float | None, typer.Option(help="Seconds for each text, after which the one-pass bound must do.")
    ] = None,
    text_column: TextColumn = "text",
    label_column: LabelColumn = "label",
    on_bad_row: OnBadRow = "error",
    data_dir: DataDir = None,
) -> None:
    """Write a report on a model's robustness: the test rows of a dataset, or all rows of a file.

    Example: levcert report toy.safetensors toy -o report.html
    """
    from levcert.models.load import load
    from levcert.report import Origin, write_report

    loaded = load(model)
    texts, truth, name = _labelled_texts(data, data_dir, text_column, label_column, on_bad_row)
    chosen = _choose(len(texts), rows, shuffle)
    which = "rows" if len(chosen) == len(texts) else "first rows" if shuffle is None else f"rows by seed {shuffle}"
    summary = write_report(
        loaded,
        [texts[i] for i in chosen],
        [truth[i] for i in chosen],
        output,
        method=method,
        max_distance=max_distance,
        budget=budget,
        origin=Origin(f"{name} ({which})", model, shlex.join(["levcert", *sys.argv[1:]])),
        watch=lambda certified: watched(certified, "certifying", len(chosen)),
    )
    shares = [f"k={point.k}: {point.certified}" for point in summary.curve[:3]]
    print(f"{output}: verified accuracy on {summary.size:,} texts, {', '.join(shares)}")


def _labelled_texts(
    data: str, data_dir: Path | None, text_column: str, label_column: str, on_bad_row: BadRow
) -> tuple[list[Text], list[str], str]:
    """Return texts, true labels and a name: the test split of a known dataset, or every row of a file."""
    from levcert.datasets import RowReader, load_dataset

    if not is_file(data):
        dataset = load_dataset(data, data_dir)
        return list(dataset.test.texts), [dataset.labels[i] for i in dataset.test.labels], f"the test set of {data}"
    reader = RowReader(data, text_column, label_column, on_bad_row)
    found = list(reader)
    say_skipped(reader.skipped)
    if not found:
        raise InputError(f"{data} has no rows to report on.")
    return [row.text for row in found], [str(row.label) for row in found], Path(data).name


def _choose(total: int, rows: int, shuffle: int | None) -> list[int]:
    """Return the numbers of the first rows, or of random ones in their order."""
    if shuffle is None:
        return list(range(min(rows, total)))
    import numpy as np

    return sorted(np.random.default_rng(shuffle).permutation(total)[:rows].tolist())
