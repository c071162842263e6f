"""``levcert train``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from levcert.cli.flag_groups import with_flag_groups
from levcert.cli.inputs import GivenData, TestFile, WeightColumn
from levcert.cli.outputs import Json, Resume, print_json, print_line, rows_used
from levcert.cli.reading_flags import Reading
from levcert.cli.training_flags import config_options
from levcert.files.atomic import check_model_path
from levcert.training.model_families import Family


@config_options
@with_flag_groups
def train(
    data: GivenData,
    reading: Reading,
    output: Annotated[Path, typer.Option("-o", "--output", help="The model file to write.")] = Path(
        "model.safetensors"
    ),
    *,
    model: Annotated[
        Family,
        typer.Option(help=r"votes: bounded n-gram votes; conv: the paper's network (needs levcert\[train])."),
    ] = "votes",
    preset: Annotated[
        str | None,
        typer.Option(help="With --model conv: paper, or repaired (the paper's network for the constant that holds)."),
    ] = None,
    config: Annotated[Path | None, typer.Option(help="A TOML file with training options; flags override it.")] = None,
    resume: Resume = False,
    restart: Annotated[bool, typer.Option("--restart", help="Discard the checkpoint of an interrupted run.")] = False,
    test: TestFile = None,
    weight_column: WeightColumn = None,
    json: Json = False,
    options: dict[str, Any],
) -> None:
    """Train a classifier.

    Example: levcert train toy -o toy.safetensors --target-distance 2
    """
    from levcert.training.data import row_counts
    from levcert.training.model_families import CONFIGURATIONS, check_options, configured
    from levcert.training.train import train as run

    values = (CONFIGURATIONS[model].from_toml(config) if config else {}) | options
    values |= {"preset": preset} if preset else {}
    check_options(model, values)
    check_model_path(output)
    dataset = data.to_train_on(reading, test, weight_column)
    checkpoint = output.with_suffix(".checkpoint")
    try:
        settings = configured(model, dataset, values)
        trained = run(dataset, settings, checkpoint=checkpoint, resume=resume, restart=restart)
    except KeyboardInterrupt:
        sentence = "interrupted before the first step; nothing was saved."
        if checkpoint.exists():
            sentence = f"interrupted; {checkpoint} is saved. Run the same command with --resume to continue."
        raise KeyboardInterrupt(sentence) from None
    data.remember_in(trained)
    trained.save(output)
    checkpoint.unlink(missing_ok=True)
    metrics, rows = dict(trained.training.metrics), row_counts(dataset, trained)
    if json:
        print_json({"model": str(output), "metrics": metrics, "rows": rows})
        return
    accuracies = [f"{name} accuracy {metrics[name]:.2%}" for name in ("validation", "test") if name in metrics]
    if "verified" in metrics:
        distance = trained.training.config["target_distance"]
        accuracies.append(f"verified validation accuracy under any {distance} edits {metrics['verified']:.2%}")
    print_line(f"{output}: {', '.join(accuracies)}, trained in {metrics['seconds']:.1f} s")
    print_line(f"  {rows_used(rows)}")
