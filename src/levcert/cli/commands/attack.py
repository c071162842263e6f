"""``levcert attack``."""

from __future__ import annotations

from collections import deque
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from levcert.cli.certification_flags import Attacker, Target
from levcert.cli.flag_groups import with_flag_groups
from levcert.cli.inputs import GivenTexts
from levcert.cli.model_flags import GivenModel
from levcert.cli.outputs import Json, Lines, print_json, print_line
from levcert.cli.reading_flags import RunReading
from levcert.cli.run_flags import TimedRunFlags

if TYPE_CHECKING:
    from levcert.attacks.base import AttackResult


@with_flag_groups
def attack(
    model: GivenModel,
    texts: GivenTexts,
    reading: RunReading,
    *,
    method: Annotated[str, typer.Option(help="charmer, greedy, beam, random, paths or search.")] = "charmer",
    max_distance: Annotated[int, typer.Option(help="The largest number of edits.")] = 2,
    attacker: Attacker,
    target: Target = None,
    run: TimedRunFlags,
    json: Json = False,
) -> None:
    """Look for a few edits that change the label; finding none proves nothing.

    Example: levcert attack toy.safetensors "hello w0rld" --max-distance 5
    """
    from levcert.attacks import attack_each
    from levcert.certificates.explain import named
    from levcert.cli.run_tasks import AttackTask, kept_columns
    from levcert.models.known_classifiers import unit_of
    from levcert.text.threat import ANY_EDIT

    given = texts.read(reading, run.output)
    threat = attacker.threat
    classifier = model.load()
    answer = partial(attack_each, classifier, method=method, max_distance=max_distance, threat=threat, target=target)
    edits = named(max_distance, threat or ANY_EDIT, unit_of(classifier))
    deque(answer([]), maxlen=0)  # rejects bad options before the work begins
    if run.output is not None or json:
        task = AttackTask(
            model.content, run.format, kept_columns(given.source), run.seconds,
            method=method, max_distance=max_distance, threat=threat, target=target,
        )  # fmt: skip
        if run.output is None:
            run.print_lines(task, given.source)
            return
        options = {"method": method, "max_distance": max_distance, **attacker.options, "target": target}
        outcome = run.write(task, given.source, model, reading.options | options)
        changed = int(outcome.summary["changed"])
        if json:
            print_json({"output": str(run.output), "rows": outcome.rows, "changed": changed})
        else:
            print_line(
                f"{run.output}: {changed:,} of {outcome.rows:,} labels changed by at most {max_distance} {edits}"
            )
        return
    width = max(map(len, classifier.labels))
    lines = Lines({"label": width, "new label": width, "edits": 5, "text": 0}, numbers=("edits",))
    if threat is not None:
        print_line(f"The attacker makes at most {max_distance} {edits}.")
    for result in answer(given.texts):
        _print_row(result, lines)


def _print_row(result: AttackResult, lines: Lines) -> None:
    from levcert.cli.console import shown_edits
    from levcert.text.printable import printable

    if result.adversarial is None:
        lines.add(result.label, "—", "—", printable(result.text))
    else:
        shown = shown_edits(result.text, result.adversarial, context=len(result.text))
        lines.add(result.label, str(result.new_label), str(result.distance), shown)
