"""``levcert attack``."""

from __future__ import annotations

from collections import deque
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from levcert.cli.certification_flags import Operations, Profile, Symbols, Target, threat_in, threat_options
from levcert.cli.inputs import (
    Delimiter,
    Encoding,
    File,
    KeepColumns,
    ModelFile,
    OnBadRow,
    Reading,
    ShardFlag,
    TextColumn,
    Texts,
    TrustedKey,
    model_content,
    texts_in,
)  # fmt: skip
from levcert.cli.outputs import Json, Lines, Output, Resume, print_json, print_line
from levcert.cli.run_flags import (
    Cluster,
    ProgressFlag,
    RunFlags,
    SafeCsv,
    Seconds,
    TlsCaFile,
    TlsCert,
    TlsKey,
    Workers,
)  # fmt: skip

if TYPE_CHECKING:
    from levcert.attacks.base import AttackResult


def attack(
    model: ModelFile,
    texts: Texts = None,
    *,
    file: File = None,
    text_column: TextColumn = "text",
    on_bad_row: OnBadRow = "error",
    encoding: Encoding = None,
    delimiter: Delimiter = None,
    keep_columns: KeepColumns = None,
    shard: ShardFlag = None,
    method: Annotated[str, typer.Option(help="charmer, greedy, beam, random, paths or search.")] = "charmer",
    max_distance: Annotated[int, typer.Option(help="The largest number of edits.")] = 2,
    operations: Operations = None,
    symbols: Symbols = None,
    profile: Profile = None,
    target: Target = None,
    output: Output = None,
    resume: Resume = False,
    seconds: Seconds = False,
    safe_csv: SafeCsv = False,
    workers: Workers = None,
    cluster: Cluster = None,
    tls_ca_file: TlsCaFile = None,
    tls_cert: TlsCert = None,
    tls_key: TlsKey = None,
    progress: ProgressFlag = "bar",
    trusted_key: TrustedKey = None,
    json: Json = False,
) -> None:
    """Look for a few edits that change the label; finding none proves nothing.

    Example: levcert attack toy.safetensors "hello w0rld" --max-distance 5
    """
    from levcert import load
    from levcert.attacks import attack_each
    from levcert.certificates.explain import named
    from levcert.cli.run_tasks import AttackTask, kept_columns
    from levcert.models.known_classifiers import unit_of
    from levcert.text.threat import ANY_EDIT

    flags = RunFlags(
        "attack", output, resume, workers, cluster, tls_ca_file, tls_cert, tls_key, progress, seconds, safe_csv
    )
    reading = Reading(text_column, on_bad_row, encoding, delimiter, keep_columns, shard)
    given = texts_in(texts, file, reading, output=output)
    threat = threat_in(operations, symbols, profile)
    classifier = load(model, trusted_key=trusted_key)
    answer = partial(attack_each, classifier, method=method, max_distance=max_distance, threat=threat, target=target)
    edits = named(max_distance, threat or ANY_EDIT, unit_of(classifier))
    deque(answer([]), maxlen=0)  # refuses bad options before the work rather than in its course
    if output is not None or json:
        task = AttackTask(
            model_content(model, trusted_key), flags.format, kept_columns(given.source), seconds,
            method=method, max_distance=max_distance, threat=threat, target=target,
        )  # fmt: skip
        if output is None:
            flags.print_lines(task, given.source)
            return
        options = {
            "method": method,
            "max_distance": max_distance,
            **threat_options(threat),
            "target": target,
        }
        outcome = flags.write(task, given.source, model, reading.options | options)
        changed = int(outcome.summary["changed"])
        if json:
            print_json({"output": str(output), "rows": outcome.rows, "changed": changed})
        else:
            print_line(f"{output}: {changed:,} of {outcome.rows:,} labels changed by at most {max_distance} {edits}")
        return
    width = max(map(len, classifier.labels))
    lines = Lines({"label": width, "new label": width, "edits": 5, "text": 0}, numbers=("edits",))
    if threat is not None:
        print_line(
            f"The attacker makes at most {max_distance} {named(max_distance, threat, classifier.alphabet.kind)}."
        )
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
