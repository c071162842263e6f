"""The command ``levcert``: parse, call, print."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from levcert.commands import benchmark
from levcert.errors import InputError
from levcert.files import check_model_path
from levcert.options import config_options

if TYPE_CHECKING:
    from levcert.datasets import Dataset

app = typer.Typer(
    help="Text classifiers with a proof that no k typos change the answer.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

app.add_typer(benchmark.app, name="benchmark")

BadRow = Literal["error", "skip"]
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


@app.command()
@config_options
def train(
    data: Annotated[
        str, typer.Argument(help="A dataset's name (see levcert datasets), or a csv/tsv/jsonl/parquet file.")
    ],
    output: Annotated[Path, typer.Option("-o", "--output", help="The model file to write.")] = Path(
        "model.safetensors"
    ),
    *,
    preset: Annotated[str, typer.Option(help="Where options not given come from.")] = "paper",
    config: Annotated[Path | None, typer.Option(help="A TOML file with training options; flags go before it.")] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Continue the interrupted run of this output file.")] = False,
    test: Annotated[
        Path | None, typer.Option(help="A test file; without it, a tenth of the rows is set aside.")
    ] = None,
    text_column: Annotated[str, typer.Option(help="Column of the texts, for files.")] = "text",
    label_column: Annotated[str, typer.Option(help="Column of the labels, for files.")] = "label",
    on_bad_row: Annotated[BadRow, typer.Option(help="What to do with a row that cannot be used.")] = "error",
    data_dir: DataDir = None,
    options: dict[str, Any],
) -> None:
    """Train a classifier.  Example: levcert train toy -o toy.safetensors --epochs 3 --kernel-size 3."""
    from levcert.training.config import TrainingConfig
    from levcert.training.loop import train as run

    dataset = _dataset(data, data_dir, test, text_column, label_column, on_bad_row)
    values = (TrainingConfig.from_toml(config) if config else {}) | options
    check_model_path(output)
    checkpoint = output.with_suffix(".checkpoint")
    try:
        model = run(
            dataset, TrainingConfig.preset(preset, dataset.name, **values), checkpoint=checkpoint, resume=resume
        )
    except KeyboardInterrupt:
        sentence = f"interrupted; {checkpoint} is saved. Continue with the same command and --resume."
        print(f"levcert: {sentence}", file=sys.stderr)
        raise typer.Exit(130) from None
    model.save(output)
    checkpoint.unlink(missing_ok=True)
    metrics = model.training["metrics"]
    accuracies = [f"{name} accuracy {metrics[name]:.2%}" for name in ("validation", "test") if name in metrics]
    print(f"{output}: {', '.join(accuracies)}, trained in {metrics['seconds']:.1f} s")


def _dataset(
    data: str, data_dir: Path | None, test: Path | None, text_column: str, label_column: str, on_bad_row: BadRow
) -> Dataset:
    """Load a dataset by name or from files; say on stderr how many bad rows were passed over."""
    from levcert.datasets import DATASETS, dataset_from_files, load_dataset

    if data in DATASETS or not Path(data).suffix:
        return load_dataset(data, data_dir)
    skipped: Counter[str] = Counter()
    dataset = dataset_from_files(
        data, test, text_column=text_column, label_column=label_column, on_bad_row=on_bad_row, skipped=skipped
    )
    for reason, count in skipped.most_common():
        print(f"levcert: {count:,} rows passed over: {reason}", file=sys.stderr)
    return dataset


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
