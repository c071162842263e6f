"""``levcert benchmark``: run a study, render all results, check a sample of them."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from levcert.errors import InputError

app = typer.Typer(
    help="The paper's tables and figures, measured again.  Example: levcert benchmark main --quick.",
    no_args_is_help=True,
)

Results = Annotated[Path, typer.Option(help="Folder of the row files, one per study.")]
Models = Annotated[
    Path, typer.Option(help="Folder of trained models, matched by configuration and data; new ones are kept there.")
]
RESULTS, MODELS = Path("results"), Path("results/models")

_SHOWN_MISSING = 5  # reasons that are printed one by one
_STUDIES = {
    "main": "Clean, attacked and certified accuracy: the paper's main table.",
    "differences": "Explanations for what differs from the main table, tested.",
    "larger-distances": "Certified accuracy up to ten edits.",
    "regularisation": "Holding the constant down instead of enforcing it.",
    "length": "Certified accuracy against the length of the text.",
    "learning-rate": "Accuracy against the learning rate.",
    "depth": "One to four convolutions.",
    "latency": "Seconds per text.",
    "smoothing": "Randomised smoothing, as published and done right.",
    "soundness": "How often the published constant is exceeded.",
    "beyond": "Sound bounds, exact search and votes up to ten edits.",
    "votes": "What each option of votes adds, on training rows set apart.",
}


def _run_command(name: str) -> Callable[..., None]:
    """Return the command that runs one study; all have the same options."""

    def run_study(
        *,
        results: Results = RESULTS,
        models: Models = MODELS,
        workers: Annotated[int, typer.Option(min=1, help="Processes that run cells side by side.")] = 1,
        cluster: Annotated[
            str | None, typer.Option(help="Scheduler of a dask cluster to run on instead, as host:port.")
        ] = None,
        quick: Annotated[bool, typer.Option("--quick", help="Little data, small networks, one seed.")] = False,
        stored_only: Annotated[
            bool, typer.Option("--stored-only", help="Train nothing; pass over cells without a stored model.")
        ] = False,
        only: Annotated[
            list[str] | None,
            typer.Option(help="Only cells with this setting, as name=value; repeated for more names or more values."),
        ] = None,
    ) -> None:
        from levcert.benchmark import runner
        from levcert.benchmark.study import load_study
        from levcert.runs.progress_bar import counter

        study = load_study(name)
        wanted: dict[str, list[str]] = {}
        for setting, value in map(_setting, only or []):
            wanted.setdefault(setting, []).append(value)
        pool = runner.processes(workers) if cluster is None else runner.cluster(cluster)
        with pool as executor, counter(name) as done:
            summary = runner.run(
                study,
                results,
                models,
                executor=executor,
                quick=quick,
                may_train=not stored_only,
                only=wanted,
                done=done,
            )
        for cell, reason in list(summary.missing.items())[:_SHOWN_MISSING]:
            print(f"levcert: not run: {cell}: {reason}", file=sys.stderr)
        if len(summary.missing) > _SHOWN_MISSING:
            print(f"levcert: not run: {len(summary.missing) - _SHOWN_MISSING} cells more", file=sys.stderr)
        path = runner.rows_file(results, name, quick=quick)
        print(f"{path}: rows before: {summary.there}, new: {summary.new}, not run: {len(summary.missing)}")

    return run_study


for _name, _help in _STUDIES.items():
    app.command(_name, help=f"{_help}  Example: levcert benchmark {_name} --quick.")(_run_command(_name))


@app.command()
def render(
    output: Annotated[Path, typer.Option("-o", "--output", help="The page to write: .md, .tex or .html.")] = Path(
        "docs/results.md"
    ),
    *,
    results: Results = RESULTS,
    pictures: Annotated[Path, typer.Option(help="Folder for the figures (SVG and PNG).")] = Path("docs/pictures"),
    into: Annotated[
        list[Path] | None,
        typer.Option(
            help="A Markdown file whose places <!-- table NAME --> … <!-- end --> are filled; may be repeated."
        ),
    ] = None,
) -> None:
    """Write all tables and figures.  Example: levcert benchmark render -o results.html."""
    from levcert.benchmark.results_page import write_page
    from levcert.benchmark.tables_in_pages import fill_places

    write_page(output, results, pictures)
    for path in into or []:
        fill_places(path, results)
    print(", ".join(map(str, [output, *(into or [])])))


@app.command()
def check(
    *,
    results: Results = RESULTS,
    models: Models = MODELS,
    sample: Annotated[int, typer.Option(min=1, help="Rows to measure again.")] = 5,
    seed: Annotated[int, typer.Option(help="Seed of the sample.")] = 1,
    train: Annotated[
        bool,
        typer.Option("--train", help="Train votes that are not stored: they come out the same again."),
    ] = False,
) -> None:
    """Measure a random sample of rows again; exit 1 on a difference.  Example: levcert benchmark check --sample 3."""
    from levcert.benchmark.remeasure import check_rows
    from levcert.runs.progress_bar import counter

    with counter("check") as done:
        outcome = check_rows(results, models, sample, seed, may_train=train, done=done)
    for line in outcome.differences:
        print(line)
    print(f"rows measured again: {outcome.checked}, values that differ: {len(outcome.differences)}")
    if outcome.differences:
        raise typer.Exit(1)


def _setting(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not (name and equals and value):
        raise InputError(f"--only takes name=value, such as dataset=sst2, not {text!r}.")
    return name, value
