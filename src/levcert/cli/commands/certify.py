"""``levcert certify``."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from levcert.cli.certification_flags import Attacker, Budget, MaxDistance, Method, Target
from levcert.cli.flag_groups import with_flag_groups
from levcert.cli.inputs import GivenTexts
from levcert.cli.model_flags import GivenModel
from levcert.cli.outputs import Json, Lines, print_json, print_line
from levcert.cli.reading_flags import RunReading
from levcert.cli.run_flags import TimedRunFlags

if TYPE_CHECKING:
    from levcert.certificates.certificate import Certificate
    from levcert.certificates.claims import Unit
    from levcert.runs.engine import Outcome

_ONE_PASS = ("lipschitz", "lipslev")  # quick enough to answer hundreds of texts at once


@with_flag_groups
def certify(
    model: GivenModel,
    texts: GivenTexts,
    reading: RunReading,
    *,
    method: Method = "auto",
    max_distance: MaxDistance = None,
    budget: Budget = None,
    attacker: Attacker,
    target: Target = None,
    per_class: Annotated[
        bool, typer.Option("--per-class", help="Also prove how many edits cannot make each of the other labels.")
    ] = False,
    run: TimedRunFlags,
    json: Json = False,
) -> None:
    """Prove how many edits cannot change the label of a text, and show edits that do.

    Example: levcert certify toy.safetensors "hello w0rld"
    """
    from levcert.certificates.claims import IS_TARGET
    from levcert.certifiers import certify_each
    from levcert.cli.console import print_certificate
    from levcert.cli.run_tasks import CertifyTask, kept_columns, with_counterexample

    given = texts.read(reading, run.output)
    classifier = model.load()
    answer = partial(
        certify_each, classifier, method=method, max_distance=max_distance, budget=budget, threat=attacker.threat,
        target=target, per_class=per_class, batch_size=1,
    )  # fmt: skip
    deque(answer([]), maxlen=0)  # rejects bad options before the work begins
    explained = given.kind == "arguments"
    if run.output is not None or json:
        task = CertifyTask(
            model.content, run.format, kept_columns(given.source), run.seconds, 512 if method in _ONE_PASS else 8,
            method, max_distance, budget, attacker.threat, explained, target, per_class,
        )  # fmt: skip
        if run.output is None:
            run.print_lines(task, given.source)
            return
        options = {"method": method, "max_distance": max_distance, "budget": budget, **attacker.options}
        options |= {"target": target, "per_class": per_class, "attacked": explained}
        outcome = run.write(task, given.source, model, reading.options | options)
        _print_totals(outcome, str(run.output), target, json=json)
        return
    certificates: Iterator[Certificate] = answer(given.texts)
    if explained:
        for certificate in certificates:
            print_certificate(with_counterexample(classifier, certificate, budget))
        return
    widths = {"label": max(map(len, classifier.labels)), "radius": 6, "claim": 6 if target is None else len(IS_TARGET)}
    lines = Lines({**widths, "text": 0}, numbers=("radius",))
    for certificate in certificates:
        _print_row(certificate, lines)


def _print_row(certificate: Certificate, lines: Lines) -> None:
    """Print a certificate in one line: the text, with the edits of the counterexample marked in it.

    Before the first, say which edits are counted, unless they are any edits of characters.
    """
    from levcert.certificates.explain import claimed_edits
    from levcert.cli.console import console, shown_edits
    from levcert.text.printable import printable

    text = certificate.text
    edits = claimed_edits(2, certificate.claim, certificate.threat, certificate.unit, certificate.fold)
    if not lines.begun and edits != "edits":
        console.print(f"The radius counts {edits}.", markup=False, soft_wrap=True)
    if not lines.begun and certificate.target is not None:
        sentence = f"The radius is the number of edits that cannot make the label {certificate.target!r}."
        console.print(sentence, markup=False, soft_wrap=True)
    changed = certificate.counterexample
    shown = printable(text) if changed is None else shown_edits(text, changed, context=len(text))
    lines.add(certificate.label, str(certificate.radius), certificate.claim, shown)
    if certificate.undecided is not None:
        console.print(f"  not decided: {certificate.undecided}", soft_wrap=True)


def _print_totals(outcome: Outcome, output: str, target: str | None, *, json: bool) -> None:
    """Print how many texts of a run keep their label under how many edits."""
    import json as js

    from levcert.certificates.claims import IS_TARGET

    radii = {int(key): int(count) for key, count in outcome.summary.items() if not key.startswith("[")}
    if json:
        print_json({"output": output, "rows": outcome.rows, "radius": {str(k): radii[k] for k in sorted(radii)}})
        return
    kept = [
        f"{sum(count for radius, count in radii.items() if radius >= k):,} under {k} {_edits(k, outcome)}"
        for k in range(1, min(max(radii, default=0), 3) + 1)
    ]
    about = {key: int(count) for key, count in outcome.summary.items() if key.startswith("[")}
    passes = sum(count for key, count in about.items() if js.loads(key)[0] == IS_TARGET)
    passing = f", of which {passes:,} are {target!r} as they are" if passes else ""
    what = "labels kept" if target is None else f"cannot become {target!r}"
    radius = f"; {what}: {', '.join(kept)}{_on_top(outcome)}" if kept else ""
    print_line(f"{output}: {outcome.rows:,} certificates{passing}{radius}")


def _edits(count: int, outcome: Outcome) -> str:
    """Return which edits the radii count."""
    import json

    from levcert.certificates.explain import claimed_edits
    from levcert.text.threat import Threat

    claim, threat, unit, _ = _about(outcome)
    return claimed_edits(count, claim, Threat.from_dict(json.loads(threat)), unit)


def _on_top(outcome: Outcome) -> str:
    """Return the changes that the model does not see, which cost no edit."""
    from levcert.certificates.explain import free_changes

    free = free_changes(_about(outcome)[-1])
    return f", each on top of any number of {free}" if free else ""


def _about(outcome: Outcome) -> tuple[str, str, Unit, str]:
    """Return claim, threat, unit and fold of the rows; all have the same threat, unit, fold and kind of claim."""
    import json

    from levcert.certificates.claims import IS_TARGET

    claims: list[tuple[str, str, Unit, str]] = [
        tuple(json.loads(key)) for key in outcome.summary if key.startswith("[")
    ]
    return next((found for found in claims if found[0] != IS_TARGET), claims[0])
