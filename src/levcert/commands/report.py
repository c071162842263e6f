"""``levcert report``: how robust a model is on the texts of a dataset, as one HTML file."""

from __future__ import annotations

import shlex
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from levcert.errors import InputError

if TYPE_CHECKING:
    from levcert.alphabet import Text


def report(
    model: Annotated[Path, typer.Argument(help="A model file.")],
    data: Annotated[str, typer.Argument(help="A dataset's name (its test texts), or a csv/tsv/jsonl/parquet file.")],
    output: Annotated[Path, typer.Option("-o", "--output", help="The HTML file to write.")] = Path("report.html"),
    *,
    rows: Annotated[int, typer.Option(help="How many texts.", min=1)] = 1_000,
    shuffle: Annotated[int | None, typer.Option(help="Take random rows by this seed instead of the first.")] = None,
    max_distance: Annotated[
        int | None, typer.Option(help="Where the curve ends.", show_default="up to 10", min=1)
    ] = None,
    method: Annotated[str, typer.Option(help="The certifier.")] = "auto",
    budget: Annotated[
        float | None, typer.Option(help="Seconds for each text, after which the one-pass bound must do.")
    ] = None,
    text_column: Annotated[str, typer.Option(help="Column of the texts, for files.")] = "text",
    label_column: Annotated[str, typer.Option(help="Column of the labels, for files.")] = "label",
    on_bad_row: Annotated[
        Literal["error", "skip"], typer.Option(help="What to do with a row that cannot be used.")
    ] = "error",
    data_dir: Annotated[
        Path | None, typer.Option(help="Folder with ag_news/, sst2/, imdb/, fake_news/; default: $LEVCERT_DATA.")
    ] = None,
) -> None:
    """Write a report on a model's robustness.  Example: levcert report toy.safetensors toy -o report.html."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    from levcert.models.registry import load
    from levcert.report.write import Origin, write_report

    loaded = load(model)
    texts, truth, name = _labelled_texts(data, data_dir, text_column, label_column, on_bad_row)
    chosen = _choose(len(texts), rows, shuffle)
    which = "rows" if len(chosen) == len(texts) else "first rows" if shuffle is None else f"rows by seed {shuffle}"
    origin = Origin(f"{name} ({which})", model, shlex.join(["levcert", *sys.argv[1:]]))
    console = Console(stderr=True)
    bar = Progress(
        TextColumn("certifying"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(),
        console=console, disable=not console.is_terminal, transient=True,
    )  # fmt: skip
    with bar:
        task = bar.add_task("", total=len(chosen))
        summary = write_report(
            loaded,
            [texts[i] for i in chosen],
            [truth[i] for i in chosen],
            output,
            method=method,
            max_distance=max_distance,
            budget=budget,
            origin=origin,
            progress=lambda done: bar.update(task, completed=done),
        )
    shares = [f"k={point.k}: {point.certified}" for point in summary.curve[:3]]
    print(f"{output}: verified accuracy on {summary.size:,} texts, {', '.join(shares)}")


def _labelled_texts(
    data: str, data_dir: Path | None, text_column: str, label_column: str, on_bad_row: Literal["error", "skip"]
) -> tuple[list[Text], list[str], str]:
    """Return texts, true labels and a name: the test split of a known dataset, or every row of a file."""
    from levcert.datasets import DATASETS, RowReader, load_dataset

    if data in DATASETS or not Path(data).suffix:
        dataset = load_dataset(data, data_dir)
        return list(dataset.test.texts), [dataset.labels[i] for i in dataset.test.labels], f"the test set of {data}"
    skipped: Counter[str] = Counter()
    found = list(RowReader(data, text_column, label_column, on_bad_row, skipped=skipped))
    for reason, count in skipped.most_common():
        print(f"levcert: {count:,} rows passed over: {reason}", file=sys.stderr)
    if not found:
        raise InputError(f"{data} has no rows to report on.")
    return [row.text for row in found], [str(row.label) for row in found], Path(data).name


def _choose(total: int, rows: int, shuffle: int | None) -> list[int]:
    """Return the numbers of the first rows, or of random ones in their order."""
    if shuffle is None:
        return list(range(min(rows, total)))
    import numpy as np

    return sorted(np.random.default_rng(shuffle).permutation(total)[:rows].tolist())
