"""``levcert benchmark``: run a study, render all results, check a sample of them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from levcert.cli.exit_codes import say
from levcert.cli.outputs import Json, print_json
from levcert.errors import InputError

if TYPE_CHECKING:
    from levcert.benchmark.result_rows import Row

app = typer.Typer(
    help="Measure the paper's tables and figures again.  Example: levcert benchmark main --quick.",
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
    "repaired": "The paper's network trained for the constant that holds.",
    "differences": "Tests of what might explain differences from the main table.",
    "larger-distances": "Certified accuracy up to ten edits.",
    "regularisation": "Penalising the constant instead of enforcing it.",
    "length": "Certified accuracy against the length of the text.",
    "learning-rate": "Accuracy against the learning rate.",
    "depth": "One to four convolutions.",
    "latency": "Seconds per text.",
    "smoothing": "Randomised smoothing, as published and corrected.",
    "soundness": "How often the published constant is exceeded.",
    "beyond": "Sound bounds, exact search and votes up to ten edits.",
    "votes": "What each option of votes adds, on held-out training rows.",
    "security": "Spam and phishing: certificates, look-alikes, and a baseline under attack.",
    "peers": "Votes, networks, an imported pipeline and RS-Del on the same rows.",
}


def _run_command(name: str) -> Callable[..., None]:
    """Return the command that runs one study; all have the same options."""

    def run_study(
        *,
        results: Results = RESULTS,
        models: Models = MODELS,
        workers: Annotated[int, typer.Option(min=1, help="Processes that run cells in parallel.")] = 1,
        cluster: Annotated[
            str | None, typer.Option(help="Run on a dask cluster instead; the scheduler as host:port.")
        ] = None,
        quick: Annotated[bool, typer.Option("--quick", help="Little data, small networks, one seed.")] = False,
        stored_only: Annotated[
            bool, typer.Option("--stored-only", help="Train nothing; skip cells without a stored model.")
        ] = False,
        only: Annotated[
            list[str] | None,
            typer.Option(help="Run only cells with this setting, name=value, and print their rows; may be repeated."),
        ] = None,
        json: Json = False,
    ) -> None:
        from levcert.benchmark import runner
        from levcert.benchmark.study import load_study
        from levcert.runs.progress_bar import ProgressBar

        study = load_study(name)
        wanted: dict[str, list[str]] = {}
        for setting, value in map(_setting, only or []):
            wanted.setdefault(setting, []).append(value)
        pool = runner.processes(workers) if cluster is None else runner.cluster(cluster)
        with pool as executor, ProgressBar(name) as bar:
            summary = runner.run(
                study,
                results,
                models,
                executor=executor,
                quick=quick,
                may_train=not stored_only,
                only=wanted,
                done=bar.update,
            )
        for cell, reason in list(summary.missing.items())[:_SHOWN_MISSING]:
            say(f"not run: {cell}: {reason}")
        if len(summary.missing) > _SHOWN_MISSING:
            say(f"not run: {len(summary.missing) - _SHOWN_MISSING} more cells")
        if json:
            for row in summary.rows:
                print_json({"settings": row.settings, "values": row.values, "texts": row.texts["count"]})
            return
        if only or quick:
            for row in summary.rows:
                print(_as_lines(row))
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
    remarks: Annotated[
        bool,
        typer.Option("--remarks", help="Add our remarks; they are about the rows of levcert's own repository."),
    ] = False,
) -> None:
    """Write all tables and figures.  Example: levcert benchmark render -o results.html."""
    from levcert.benchmark.results_page import write_page
    from levcert.benchmark.tables_in_pages import fill_places

    write_page(output, results, pictures, remarks=remarks)
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
        typer.Option("--train", help="Train votes models that are not stored; this gives the same models again."),
    ] = False,
    json: Json = False,
) -> None:
    """Measure a random sample of rows again; exit 1 on a difference.  Example: levcert benchmark check --sample 3."""
    from levcert.benchmark.remeasure import check_rows
    from levcert.runs.progress_bar import ProgressBar

    with ProgressBar("check") as bar:
        outcome = check_rows(results, models, sample, seed, may_train=train, done=bar.update)
    for line in [] if json else outcome.differences:
        print(line)
    if json:
        print_json({"checked": outcome.checked, "differences": outcome.differences})
    else:
        print(f"rows measured again: {outcome.checked}, values that differ: {len(outcome.differences)}")
    if outcome.differences:
        raise typer.Exit(1)


def _as_lines(row: Row) -> str:
    """Return a row for the screen: what was measured, and on how many texts."""
    settings = ", ".join(f"{name} {value}" for name, value in row.settings.items())
    width = max(map(len, row.values), default=0)
    values = [f"  {name:<{width}}  {value:>9.5g}" for name, value in row.values.items()]
    return "\n".join([f"{settings} ({row.texts['count']:,} texts)", *values])


def _setting(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not (name and equals and value):
        raise InputError(f"--only takes name=value, such as dataset=sst2, not {text!r}.")
    return name, value
