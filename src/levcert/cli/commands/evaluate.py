"""``levcert evaluate``."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Annotated

import typer

from levcert.cli.certification_flags import Budget, Method, Operations, Symbols, threat_in
from levcert.cli.inputs import Data, DataDir, LabelColumn, ModelFile, OnBadRow, TextColumn, TrustedKey, labelled_in
from levcert.cli.outputs import Json, print_json
from levcert.errors import InputError
from levcert.runs.progress_bar import watched

if TYPE_CHECKING:
    from levcert.evaluation.evaluate import Evaluation


def evaluate(
    model: ModelFile,
    data: Data,
    *,
    rows: Annotated[int | None, typer.Option(min=1, help="Use only the first N rows; default: all.")] = None,
    max_distance: Annotated[int, typer.Option(min=0, help="The largest number of edits, K.")] = 2,
    method: Method = "auto",
    attack: Annotated[str, typer.Option(help="charmer, greedy, beam, random, paths, search, or none.")] = "charmer",
    budget: Budget = None,
    operations: Operations = None,
    symbols: Symbols = None,
    text_column: TextColumn = "text",
    label_column: LabelColumn = "label",
    on_bad_row: OnBadRow = "error",
    data_dir: DataDir = None,
    trusted_key: TrustedKey = None,
    json: Json = False,
) -> None:
    """Measure clean, verified and attacked accuracy on the test rows of a dataset, or on all rows of a file.

    Example: levcert evaluate toy.safetensors toy --rows 50
    """
    from levcert import load
    from levcert.evaluation.evaluate import Evaluation
    from levcert.evaluation.evaluator import Evaluator

    threat = threat_in(operations, symbols)
    attacks = None if attack == "none" else attack
    evaluator = Evaluator(load(model, trusted_key=trusted_key), method, attacks, max_distance, budget, threat)
    evaluation = Evaluation.by(evaluator)
    labelled = labelled_in(data, data_dir, text_column, label_column, on_bad_row)
    expected = rows if labelled.total is None else min(rows or labelled.total, labelled.total)
    interrupted = False
    try:
        for measured in watched(evaluator.measured(islice(labelled.rows, rows)), "evaluating", expected):
            evaluation.add(measured)
    except KeyboardInterrupt:
        interrupted = True
        if not len(evaluation):
            raise
    if not len(evaluation):
        raise InputError(f"{data} has no rows to evaluate on.")
    if json:
        print_json({"model": str(model), "data": data, "interrupted": interrupted} | evaluation.to_dict())
    else:
        _print(evaluation, f"{model.name} on {data}")
    if interrupted:
        raise KeyboardInterrupt(f"interrupted; the figures are those of the first {len(evaluation):,} rows.")


def _print(evaluation: Evaluation, title: str) -> None:
    from levcert.cli.console import console, table

    count, labels = len(evaluation), evaluation.labels
    heading = f"{title}: {count:,} texts, against {evaluation.threat} ({evaluation.unit})"
    listing = table(heading, "accuracy", ">all", "95 % interval", *(f">{label}" for label in labels))
    of_class = [evaluation.shares(label) for label in labels]
    for name, share in evaluation.shares().items():
        low, high = share.interval
        per_class = (f"{shares[name].value:.1%}" if shares[name].total else "—" for shares in of_class)
        listing.add_row(name, f"{share.value:.1%}", f"{low:.1%} – {high:.1%}", *per_class)
    console.print(listing)
    claims = ", ".join(f"{number:,} {claim}" for claim, number in evaluation.claims.items())
    milliseconds = {name: 1000 * seconds / count for name, seconds in evaluation.seconds.items()}
    attacked = f"; attack {evaluation.attack}: {milliseconds['attack']:.3g} ms per text" * evaluation.was_attacked
    console.print(f"method {evaluation.method}: {milliseconds['certify']:.3g} ms per text, claims: {claims}{attacked}")
    if evaluation.attack and not evaluation.was_attacked:
        console.print(f"{evaluation.method} certifies another classifier than the model, so the model is not attacked.")
