"""``levcert check``: a gate for releases."""

from __future__ import annotations

import time
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from levcert.cli.certification_flags import Attacker, Budget, Method, Target
from levcert.cli.flag_groups import with_flag_groups
from levcert.cli.inputs import GivenData
from levcert.cli.model_flags import GivenModel
from levcert.cli.outputs import Json, print_json
from levcert.cli.reading_flags import Reading
from levcert.errors import InputError
from levcert.files.atomic import check_writable
from levcert.runs.progress_bar import watched

if TYPE_CHECKING:
    from levcert.evaluation.gate import Check

_MISSED: Final = 1  # the exit code


@with_flag_groups
def check(
    model: GivenModel,
    data: GivenData,
    reading: Reading,
    *,
    min_verified: Annotated[
        list[str] | None,
        typer.Option(metavar="EDITS:SHARE", help="Verified accuracy that is required, such as 1:0.90; repeatable."),
    ] = None,
    min_recall: Annotated[
        list[str] | None,
        typer.Option(metavar="LABEL:EDITS:SHARE", help="Verified recall of one label that is required; repeatable."),
    ] = None,
    confidence: Annotated[float, typer.Option(help="Confidence of the lower bound that must reach it.")] = 0.95,
    junit: Annotated[Path | None, typer.Option(help="Write the results as JUnit XML, for CI servers.")] = None,
    report: Annotated[Path | None, typer.Option(help="Write the results as JSON.")] = None,
    rows: Annotated[int | None, typer.Option(min=1, help="Use only the first N rows; default: all.")] = None,
    method: Method = "auto",
    budget: Budget = None,
    attacker: Attacker,
    target: Target = None,
    json: Json = False,
) -> None:
    """Fail (exit code 1) if verified accuracy or recall is below what you require: a gate for releases.

    Example: levcert check toy.safetensors toy --min-verified 1:0.5 --min-recall digits:2:0.3
    """
    from levcert.evaluation.evaluate import Evaluation
    from levcert.evaluation.evaluator import Evaluator
    from levcert.evaluation.gate import Gate, Requirement
    from levcert.reports.gate_files import as_json, write_json, write_junit

    started = time.perf_counter()
    requirements = [Requirement.verified(text) for text in min_verified or ()]
    requirements += [Requirement.recall(text) for text in min_recall or ()]
    for path in (junit, report):
        if path is not None:
            check_writable(path)
    classifier = model.load()
    gate = Gate(requirements, classifier.labels, confidence)
    evaluator = Evaluator(classifier, method, None, gate.distance, budget, attacker.threat, target)
    evaluation = Evaluation.by(evaluator)
    labelled = data.labelled(reading)
    expected = rows if labelled.total is None else min(rows or labelled.total, labelled.total)
    gate.watch(watched(evaluator.measured(islice(labelled.rows, rows)), "checking", expected), evaluation)
    if not len(evaluation):
        raise InputError(f"{data} has no rows to check.")
    checks = gate.checks(evaluation)
    facts = {
        "model": str(model), "data": str(data), "rows": len(evaluation), "method": evaluation.method, "target": target,
        "threat": evaluation.threat.to_dict(), "unit": evaluation.unit,
    }  # fmt: skip
    if junit is not None:
        write_junit(junit, checks, f"levcert check {model.name} {data}", time.perf_counter() - started)
    if report is not None:
        write_json(report, checks, facts)
    if json:
        print_json(facts | as_json(checks))
    else:
        _print(checks, f"{model.name} on {data}: {len(evaluation):,} texts, against {evaluation.threat}")
    if not all(found.passed for found in checks):
        raise typer.Exit(_MISSED)


def _print(checks: list[Check], title: str) -> None:
    from rich.text import Text

    from levcert.cli.console import console
    from levcert.text.printable import printable

    console.print(Text(printable(title), style="bold"), soft_wrap=True)
    for found in checks:
        verdict = Text("passed  ", style="green") if found.passed else Text("MISSED  ", style="bold red")
        console.print(verdict.append(f"{found.name}: {found.sentence}", style="not bold default"), soft_wrap=True)
    passed = sum(found.passed for found in checks)
    console.print(f"{passed} of {len(checks)} requirements met, with {100 * checks[0].confidence:g} % confidence each.")
