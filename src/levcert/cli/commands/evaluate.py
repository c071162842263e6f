"""``levcert evaluate``."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from levcert.cli.commands.certify import Method
from levcert.cli.dataset_inputs import BadRow, Data, DataDir, LabelColumn, OnBadRow, TextColumn, is_file, say_skipped
from levcert.cli.model_argument import ModelFile
from levcert.cli.outputs import Json, print_json
from levcert.cli.threat_flags import Operations, Symbols, threat_in
from levcert.errors import InputError
from levcert.runs.progress_bar import watched

if TYPE_CHECKING:
    from levcert.evaluation.evaluate import Evaluation
    from levcert.text.alphabet import Text

Labelled = Iterator[tuple["Text", str]]


def evaluate(
    model: ModelFile,
    data: Data,
    *,
    rows: Annotated[int | None, typer.Option(min=1, help="Use only so many first rows; default: all.")] = None,
    max_distance: Annotated[int, typer.Option(min=0, help="The largest number of edits, K.")] = 2,
    method: Method = "auto",
    attack: Annotated[str, typer.Option(help="charmer, greedy, beam, random, search, or none.")] = "charmer",
    operations: Operations = None,
    symbols: Symbols = None,
    text_column: TextColumn = "text",
    label_column: LabelColumn = "label",
    on_bad_row: OnBadRow = "error",
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """Measure clean, verified and attacked accuracy: the test rows of a dataset, or all rows of a file.

    Example: levcert evaluate toy.safetensors toy --rows 50
    """
    from levcert import load
    from levcert.evaluation.evaluate import Evaluation

    threat = threat_in(operations, symbols)
    classifier = load(model)
    labelled, total = _labelled(data, data_dir, text_column, label_column, on_bad_row)
    chosen = _checked(islice(labelled, rows), classifier.labels)
    expected = rows if total is None else min(rows or total, total)
    evaluation = Evaluation(method, None if attack == "none" else attack, max_distance, threat)
    interrupted = False
    try:
        for _ in watched(evaluation.run(classifier, chosen), "evaluating", expected):
            pass
    except KeyboardInterrupt:
        interrupted = True
        if not evaluation.outcomes:
            raise
    if not evaluation.outcomes:
        raise InputError(f"{data} has no rows to evaluate on.")
    if json:
        facts = {"model": str(model), "data": data, "interrupted": interrupted}
        print_json(facts | evaluation.to_dict(classifier.labels))
    else:
        _print(evaluation, classifier.labels, f"{model.name} on {data}")
    if interrupted:
        raise KeyboardInterrupt(f"interrupted; the figures are those of the first {len(evaluation.outcomes):,} rows.")


def _labelled(
    data: str, data_dir: Path | None, text_column: str, label_column: str, on_bad_row: BadRow
) -> tuple[Labelled, int | None]:
    """Give texts with their labels, and how many there are if that is known."""
    from levcert.datasets import RowReader, load_dataset

    if not is_file(data):
        dataset = load_dataset(data, data_dir)
        test = dataset.test
        return ((text, dataset.labels[y]) for text, y in zip(test.texts, test.labels, strict=True)), len(test)

    def of_file() -> Labelled:
        reader = RowReader(data, text_column, label_column, on_bad_row)
        for row in reader:
            yield row.text, str(row.label)
        say_skipped(reader.skipped)

    return of_file(), None


def _checked(rows: Labelled, labels: tuple[str, ...]) -> Labelled:
    """Refuse labels that the model has never heard of: they would count as its errors."""
    for number, (text, label) in enumerate(rows, 1):
        if label not in labels:
            raise InputError(
                f"Row {number} has the label {label!r}, and the model knows {', '.join(map(repr, labels))}; "
                "choose the column with --label-column, or train a model on these labels."
            )
        yield text, label


def _print(evaluation: Evaluation, labels: tuple[str, ...], title: str) -> None:
    from levcert.cli.console import console, table

    count = len(evaluation.outcomes)
    unit = evaluation.outcomes[0].certificate.unit
    heading = f"{title}: {count:,} texts, against {evaluation.threat} ({unit})"
    listing = table(heading, "accuracy", ">all", "95 % interval", *(f">{label}" for label in labels))
    of_class = [evaluation.shares(label) for label in labels]
    for name, share in evaluation.shares().items():
        low, high = share.interval
        per_class = (f"{shares[name].value:.1%}" if shares[name].total else "—" for shares in of_class)
        listing.add_row(name, f"{share.value:.1%}", f"{low:.1%} – {high:.1%}", *per_class)
    console.print(listing)
    claims = ", ".join(f"{number:,} {claim}" for claim, number in evaluation.claims.items())
    milliseconds = {name: 1000 * seconds / count for name, seconds in evaluation.seconds.items()}
    attacked = f"; attack {evaluation.attack}: {milliseconds['attack']:.3g} ms per text" * bool(evaluation.attack)
    console.print(f"method {evaluation.method}: {milliseconds['certify']:.3g} ms per text, claims: {claims}{attacked}")
