"""``levcert evaluate``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from levcert.cli.certification_flags import Attacker, Budget, Method, Target
from levcert.cli.flag_groups import with_flag_groups
from levcert.cli.inputs import GivenData
from levcert.cli.model_flags import GivenModel
from levcert.cli.outputs import Json, print_json
from levcert.cli.reading_flags import RunReading
from levcert.cli.run_flags import TimedRunFlags
from levcert.errors import InputError

if TYPE_CHECKING:
    from levcert.evaluation.evaluate import Evaluation
    from levcert.runs.engine import Outcome


@with_flag_groups
def evaluate(
    model: GivenModel,
    data: GivenData,
    reading: RunReading,
    *,
    rows: Annotated[int | None, typer.Option(min=1, help="Use only the first N rows; default: all.")] = None,
    max_distance: Annotated[int, typer.Option(min=0, help="The largest number of edits, K.")] = 2,
    method: Method = "auto",
    attack: Annotated[str, typer.Option(help="charmer, greedy, beam, random, paths, search, or none.")] = "charmer",
    budget: Budget = None,
    attacker: Attacker,
    target: Target = None,
    run: TimedRunFlags,
    json: Json = False,
) -> None:
    """Measure clean, verified and attacked accuracy on the test rows of a dataset, or on all rows of files.

    Example: levcert evaluate toy.safetensors toy --rows 50
    """
    from levcert.cli.run_tasks import EvaluateTask, kept_columns
    from levcert.evaluation.evaluate import Evaluation
    from levcert.evaluation.evaluator import Evaluator
    from levcert.runs.engine import Outcome

    attacks = None if attack == "none" else attack
    loaded = model.load()
    data.warn_if_trained_on(loaded)
    evaluator = Evaluator(loaded, method, attacks, max_distance, budget, attacker.threat, target)
    labelled = data.labelled(reading, rows, run.output)
    task = EvaluateTask(
        model.content, None if run.output is None else run.format, kept_columns(labelled.source), run.seconds, 8,
        method, attacks, max_distance, budget, attacker.threat, target,
    )  # fmt: skip
    interrupted: KeyboardInterrupt | None = None
    outcome = Outcome()
    if run.output is not None:
        options = {"method": method, "attack": attack, "max_distance": max_distance, "budget": budget, "rows": rows}
        options |= attacker.options | {"label_column": data.label_column, "target": target}
        outcome = run.write(task, labelled.source, model, reading.options | options)
    else:
        try:
            for outcome in run.count(task, labelled.source):  # noqa: B007 (the last one counts)
                pass
        except KeyboardInterrupt as reason:
            interrupted = reason
    if not outcome.rows:
        if interrupted is not None:
            raise interrupted
        raise InputError(f"{data} has no rows to evaluate on.")
    evaluation = _evaluation(Evaluation.by(evaluator), outcome)
    if json:
        done = {"model": str(model), "data": str(data), "interrupted": interrupted is not None}
        print_json(done | evaluation.to_dict())
    else:
        _print(evaluation, f"{model.name} on {data}")
    if interrupted is not None:
        figures = f"the figures are those of the first {len(evaluation):,} rows."
        raise type(interrupted)(f"{str(interrupted).removesuffix('.') or 'interrupted'}; {figures}")


def _evaluation(evaluation: Evaluation, outcome: Outcome) -> Evaluation:
    """Fill in what a run has counted."""
    from levcert.cli.run_tasks import outcomes_in

    evaluation.tally.counts.update(outcomes_in(outcome.summary))
    evaluation.seconds.update(certify=outcome.summary["certify"], attack=outcome.summary["attack"])
    return evaluation


def _print(evaluation: Evaluation, title: str) -> None:
    from levcert.cli.console import console, table

    count, labels, target = len(evaluation), evaluation.labels, evaluation.target
    which = "" if target is None else f" that are not {target!r}"
    heading = f"{title}: {evaluation.counted:,} texts{which}, against {evaluation.attacker}"
    listing = table(
        heading, "accuracy" if target is None else "share", ">all", "95 % interval", *(f">{label}" for label in labels)
    )
    of_class = [evaluation.shares(label) for label in labels]
    for name, share in evaluation.shares().items():
        low, high = share.interval
        all_texts = (f"{share.value:.1%}", f"{low:.1%} – {high:.1%}") if share.total else ("—", "—")
        per_class = (f"{shares[name].value:.1%}" if shares[name].total else "—" for shares in of_class)
        listing.add_row(name, *all_texts, *per_class)
    console.print(listing)
    if target is not None:
        for label in labels:
            _print_recall(evaluation, label, target)
    claims = ", ".join(f"{number:,} {claim}" for claim, number in evaluation.claims.items())
    milliseconds = {name: 1000 * seconds / count for name, seconds in evaluation.seconds.items()}
    attacked = f"; attack {evaluation.attack}: {milliseconds['attack']:.3g} ms per text" * evaluation.was_attacked
    console.print(f"method {evaluation.method}: {milliseconds['certify']:.3g} ms per text, claims: {claims}{attacked}")
    if evaluation.attack and not evaluation.was_attacked:
        console.print(f"{evaluation.method} certifies another classifier than the model, so the model is not attacked.")


def _print_recall(evaluation: Evaluation, label: str, target: str) -> None:
    """Say how much of what is caught stays caught."""
    from levcert.certificates.claims import IS_TARGET
    from levcert.certificates.explain import claimed_edits
    from levcert.cli.console import console

    k, caught = evaluation.max_distance, evaluation.clean(label)
    if not k or not caught.hits:
        return
    claim = next((claim for claim in evaluation.claims if claim != IS_TARGET), "proved")
    edits = claimed_edits(k, claim, evaluation.threat, evaluation.unit)
    sentence = (
        f"Of the {caught.hits:,} texts of {label!r} that are caught, {evaluation.verified_of_caught(k, label)} "
        f"cannot be made {target!r} with {k} {edits}."
    )
    console.print(sentence, markup=False, soft_wrap=True)
