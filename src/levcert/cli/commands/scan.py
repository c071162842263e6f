"""``levcert scan``: how few edits change the answers of a classifier that you already have."""

from __future__ import annotations

import importlib
import shlex
import sys
from itertools import islice
from pathlib import Path
from typing import Annotated, Any

import typer

from levcert.cli.flag_groups import with_flag_groups
from levcert.cli.inputs import GivenData
from levcert.cli.reading_flags import Reading
from levcert.errors import InputError
from levcert.runs.progress_bar import watched


@with_flag_groups
def scan(
    function: Annotated[
        str, typer.Argument(metavar="MODULE:NAME", help="A function of a list of texts, or a fitted pipeline.")
    ],
    data: GivenData,
    reading: Reading,
    output: Annotated[Path, typer.Option("-o", "--output", help="The HTML file to write.")] = Path("scan.html"),
    *,
    rows: Annotated[int, typer.Option(help="Use at most this many rows.", min=1)] = 100,
    exact_rows: Annotated[
        int, typer.Option(help="Classify every text one edit away for this many rows; pipelines: all.", min=0)
    ] = 10,
    max_distance: Annotated[int, typer.Option(help="The largest number of edits of the attack.", min=1)] = 3,
    max_calls: Annotated[int | None, typer.Option(help="Classify at most this many texts in all.", min=1)] = None,
    batch_size: Annotated[int, typer.Option(help="Texts that are classified at once.", min=1)] = 1024,
    labels: Annotated[
        str | None, typer.Option(help="The names of the classes in the order of the scores, as a,b,c.")
    ] = None,
) -> None:
    """Attack your own classifier, try every single edit on some rows, and write an HTML report.

    MODULE is imported from the current folder.

    NAME is a function from a list of texts to labels or scores, or a pipeline of scikit-learn or transformers.

    Example: levcert scan levcert.cli.demo:letters_or_digits toy --rows 20 --exact-rows 1
    """
    from levcert.evaluation.scan import scan as run
    from levcert.models.known_classifiers import as_classifier
    from levcert.reports.scan_page import write_scan

    classifier = as_classifier(
        _imported(function),
        labels=labels.split(",") if labels else None,
        batch_size=batch_size,
        max_calls=max_calls,
    )
    source = data.labelled(reading)
    found = list(islice(source.rows, rows))
    if not found:
        raise InputError(f"{data} has no rows to scan.")
    result = run(
        classifier,
        [text for text, _ in found],
        [label for _, label in found],
        exact_rows=exact_rows,
        max_distance=max_distance,
        watch=lambda measured: watched(measured, "scanning", len(found)),
    )
    command = shlex.join(["levcert", *sys.argv[1:]])
    write_scan(result, output, name=function, data=source.name, command=command)
    attacked = ", ".join(f"k={k}: {result.survives(k)}" for k in range(1, max_distance + 1))
    print(f"{output}: {len(result.attacked):,} texts, correct {result.clean()}; after attack {attacked}")
    if len(result.examined):
        proved = f"proved to stay correct under any single edit: {result.verified(1)} of {len(result.examined)} texts"
        asked = "" if result.imported else f" ({result.classifier.calls:,} texts classified)"
        print(f"{proved}, {result.undecided(1)} not decided{asked}")
    if result.import_refused:
        print(f"The pipeline was not imported: {result.import_refused}")
    if result.stopped:
        print(f"Stopped after {len(result.attacked):,} of {len(found):,} texts: --max-calls is used up.")


def _imported(name: str) -> Any:
    """Return an object of a module in the current folder, or anywhere on the path."""
    module, colon, attribute = name.partition(":")
    if not colon or not module or not attribute:
        raise InputError(f"Name the classifier as MODULE:NAME, such as my_model:classify, not {name!r}.")
    sys.path.insert(0, str(Path.cwd()))
    try:
        found: Any = importlib.import_module(module)
        for part in attribute.split("."):
            found = getattr(found, part)
    except ModuleNotFoundError as error:
        raise InputError(f"Cannot import {module}: {error}. Run the command in the folder of {module}.py.") from None
    except AttributeError:
        raise InputError(f"The module {module} has no {attribute}; check its spelling.") from None
    finally:
        sys.path.pop(0)
    return found
