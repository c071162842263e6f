"""``levcert predict``."""

from __future__ import annotations

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
    say_skipped,
    texts_in,
)  # fmt: skip
from levcert.cli.outputs import Json, Lines, Output, Resume, print_json
from levcert.cli.run_flags import (
    Cluster,
    ProgressFlag,
    RunFlags,
    SafeCsv,
    TlsCaFile,
    TlsCert,
    TlsKey,
    Workers,
)  # fmt: skip


def predict(
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
    output: Output = None,
    resume: Resume = False,
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
    """Label texts, with the lead of the label's score over the next best score (margin) and the label's probability.

    Example: levcert predict toy.safetensors "hello w0rld" 12e4567
    """
    from levcert import load
    from levcert.cli.run_tasks import PredictTask, kept_columns

    flags = RunFlags(
        "predict", output, resume, workers, cluster, tls_ca_file, tls_cert, tls_key, progress, safe_csv=safe_csv
    )
    reading = Reading(text_column, on_bad_row, encoding, delimiter, keep_columns, shard)
    given = texts_in(texts, file, reading, output=output)
    classifier = load(model, trusted_key=trusted_key)
    task = PredictTask(model_content(model, trusted_key), flags.format, kept_columns(given.source))
    if output is not None:
        outcome = flags.write(task, given.source, model, reading.options)
        if json:
            print_json({"output": str(output), "rows": outcome.rows, "labels": outcome.summary})
        else:
            shares = ", ".join(f"{count:,} {label}" for label, count in outcome.summary.most_common())
            print(f"{output}: {outcome.rows:,} rows: {shares}")
    elif json:
        flags.print_lines(task, given.source)
    else:
        from levcert.cli.console import printable

        widths = {"label": max(map(len, classifier.labels)), "margin": 10, "probability": 11, "text": 0}
        lines = Lines(widths, numbers=("margin", "probability"))
        for chunk in given.source.chunks():
            found, _ = task.answers(classifier, chunk)
            for text, label, margin, chance in zip(*found.values(), strict=True):
                lines.add(label, f"{margin:.4g}", f"{chance:.1%}", printable(text))
        say_skipped(given.source.skipped)
