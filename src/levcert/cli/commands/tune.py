"""``levcert tune``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from levcert.cli.exit_codes import say
from levcert.cli.flag_groups import with_flag_groups
from levcert.cli.inputs import GivenData, WeightColumn
from levcert.cli.outputs import Json, print_json, print_line, rows_used
from levcert.cli.reading_flags import Reading
from levcert.files.atomic import check_model_path


@with_flag_groups
def tune(
    data: GivenData,
    reading: Reading,
    output: Annotated[Path, typer.Option("-o", "--output", help="The model file to write.")] = Path(
        "model.safetensors"
    ),
    *,
    target_distance: Annotated[int, typer.Option(help="The number of edits to be robust to.")] = 2,
    rows: Annotated[int | None, typer.Option(help="Training rows to hold out; a tenth by default.")] = None,
    orders: Annotated[str, typer.Option(help="Orders of n-grams to try, separated by spaces.")] = "5 4,6 2,4,6",
    temperatures: Annotated[str, typer.Option(help="Temperatures to try, separated by spaces.")] = "2 1 0.3",
    table_bits: Annotated[str, typer.Option(help="Sizes of the tables to try, separated by spaces.")] = "20",
    fold: Annotated[str, typer.Option(help="Which characters count as the same, as for train.")] = "case",
    epochs: Annotated[int, typer.Option(help="Passes over the training texts.")] = 3,
    weight_column: WeightColumn = None,
    json: Json = False,
) -> None:
    """Search for good options of the votes model on held-out rows, then train with the best on all training rows.

    Trials are kept in a journal beside the model: run the same command again to continue an interrupted search.

    Example: levcert tune toy -o toy.safetensors --target-distance 1 --orders "2 2,3" --temperatures "1 0.3"
    """
    from levcert.cli.console import console, table
    from levcert.training.data import row_counts
    from levcert.training.train import train
    from levcert.training.votes.tune import Trial
    from levcert.training.votes.tune import tune as search

    check_model_path(output)
    dataset = data.to_train_on(reading, weight_column=weight_column)
    journal = output.with_suffix(".tuning.jsonl")
    grid: dict[str, Sequence[Any]] = {
        "orders": orders.split(),
        "temperature": _numbers("temperatures", temperatures, float),
        "table_bits": _numbers("table-bits", table_bits, int),
    }

    def report(trial: Trial) -> None:
        options = ", ".join(f"{name} {value}" for name, value in trial.options.items())
        line = f"{options}: accuracy {trial.accuracy:.2%}, verified at {target_distance} {trial.verified:.2%}"
        say(f"{line} ({trial.seconds:.0f} s)")

    found = search(dataset, target_distance, grid, rows=rows, journal=journal, report=report, epochs=epochs, fold=fold)
    model = train(dataset, found.config())
    data.remember_in(model)
    model.save(output)
    journal.unlink(missing_ok=True)
    counts = row_counts(dataset, model)
    if json:
        trials = [trial.__dict__ for trial in found.trials]
        print_json({"model": str(output), "best": found.best.__dict__, "trials": trials, "rows": counts})
        return
    listing = table("Trials", "orders", ">temperature", ">rows", ">accuracy", f">verified at {target_distance}", "")
    for trial in sorted(found.trials, key=lambda trial: -trial.verified):
        listing.add_row(
            str(trial.options["orders"]),
            f"{trial.options['temperature']:g}",
            f"2^{trial.options['table_bits']}",
            f"{trial.accuracy:.2%}",
            f"{trial.verified:.2%}",
            "chosen" if trial is found.best else "",
        )
    console.print(listing)
    print_line(f"{output}: test accuracy {model.training.metrics.get('test', float('nan')):.2%}")
    print_line(f"  {rows_used(counts)}")


def _numbers(name: str, text: str, kind: type[int] | type[float]) -> list[float]:
    from levcert.errors import InputError

    try:
        return [kind(part) for part in text.split()]
    except ValueError:
        raise InputError(f'--{name} takes numbers separated by spaces, such as "1 2", not {text!r}.') from None
