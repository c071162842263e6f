"""``levcert attack``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Annotated, Final

import typer

from levcert.cli.certification_flags import Operations, Symbols, Target, threat_in
from levcert.cli.inputs import File, ModelFile, OnBadRow, TextColumn, Texts, TrustedKey, texts_in
from levcert.cli.outputs import Json, Lines, Output, Resume, check_output, print_json, print_line, resumable
from levcert.runs.progress_bar import watched

if TYPE_CHECKING:
    from levcert.attacks.base import AttackResult
    from levcert.files.row_files import Columns, Record
    from levcert.text.alphabet import Text

_COLUMNS: Final[Columns] = {
    "text": "text",
    "label": "string",
    "adversarial": "text",
    "new_label": "string",
    "distance": "integer",
    "edits": "string",
    "method": "string",
    "seconds": "number",
}


def attack(
    model: ModelFile,
    texts: Texts = None,
    *,
    file: File = None,
    text_column: TextColumn = "text",
    on_bad_row: OnBadRow = "error",
    method: Annotated[str, typer.Option(help="charmer, greedy, beam, random, paths or search.")] = "charmer",
    max_distance: Annotated[int, typer.Option(help="The largest number of edits.")] = 2,
    operations: Operations = None,
    symbols: Symbols = None,
    target: Target = None,
    output: Output = None,
    resume: Resume = False,
    trusted_key: TrustedKey = None,
    json: Json = False,
) -> None:
    """Look for a few edits that change the label; finding none proves nothing.

    Example: levcert attack toy.safetensors "hello w0rld" --max-distance 5
    """
    from levcert import load
    from levcert.attacks import attack_each
    from levcert.files.row_files import json_line
    from levcert.text.threat import ANY_EDIT

    check_output(output, resume=resume)
    source = texts_in(texts, file, text_column, on_bad_row)
    threat = threat_in(operations, symbols)
    classifier = load(model, trusted_key=trusted_key)
    answer = partial(attack_each, classifier, method=method, max_distance=max_distance, threat=threat, target=target)
    if output is not None:
        settings = ("attack", method, max_distance, str(threat or ANY_EDIT), target)
        changed: Counter[bool] = Counter()

        def records(rest: Iterator[Text]) -> Iterator[Record]:
            return map(_record, watched(answer(rest), "attacking", source.total))

        def count(record: Record) -> None:
            changed[record["adversarial"] is not None] += 1

        resumable(output, _COLUMNS, model, *settings).write(source.texts, records, resume=resume, seen=count)
        if json:
            print_json({"output": str(output), "rows": changed.total(), "changed": changed[True]})
        else:
            print(f"{output}: {changed[True]:,} of {changed.total():,} labels changed by at most {max_distance} edits")
        return
    width = max(map(len, classifier.labels))
    lines = Lines({"label": width, "new label": width, "edits": 5, "text": 0}, numbers=("edits",))
    for result in answer(source.texts):
        if json:
            print_line(json_line(_record(result), _COLUMNS))
        else:
            _print_row(result, lines)


def _record(result: AttackResult) -> Record:
    fields = {name: getattr(result, name) for name in _COLUMNS}
    return fields | {"edits": "; ".join(map(str, result.edits)) if result.success else None}


def _print_row(result: AttackResult, lines: Lines) -> None:
    from levcert.cli.console import printable, shown_edits

    if result.adversarial is None:
        lines.add(result.label, "—", "—", printable(result.text))
    else:
        shown = shown_edits(result.text, result.adversarial, context=len(result.text))
        lines.add(result.label, str(result.new_label), str(result.distance), shown)
