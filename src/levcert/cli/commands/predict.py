"""``levcert predict``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING, Final

from levcert.cli.inputs import File, ModelFile, OnBadRow, TextColumn, Texts, TrustedKey, texts_in
from levcert.cli.outputs import Json, Lines, Output, check_output, print_json, print_line
from levcert.runs.progress_bar import watched

if TYPE_CHECKING:
    from levcert.files.row_files import Columns, Record
    from levcert.models.window import WindowModel
    from levcert.text.alphabet import Text

_COLUMNS: Final[Columns] = {
    "text": "text",
    "label": "string",
    "margin": "number",
    "probability": "number",
}


def predict(
    model: ModelFile,
    texts: Texts = None,
    *,
    file: File = None,
    text_column: TextColumn = "text",
    on_bad_row: OnBadRow = "error",
    output: Output = None,
    trusted_key: TrustedKey = None,
    json: Json = False,
) -> None:
    """Label texts, with the lead of the label's score over the next best score (margin) and the label's probability.

    Example: levcert predict toy.safetensors "hello w0rld" 12e4567
    """
    from levcert import load
    from levcert.cli.console import printable
    from levcert.files.row_files import json_line, write_records

    check_output(output)
    source = texts_in(texts, file, text_column, on_bad_row)
    classifier = load(model, trusted_key=trusted_key)
    # A pipe gets its answers line by line, whatever comes later.
    rows = _rows(classifier, source.texts, at_once=1 if source.kind == "lines" else 256)
    if output is not None:
        counts: Counter[str] = Counter()
        write_records(_counted(watched(rows, "predicting", source.total), counts), _COLUMNS, output)
        if json:
            print_json({"output": str(output), "rows": counts.total(), "labels": counts})
        else:
            shares = ", ".join(f"{count:,} {label}" for label, count in counts.most_common())
            print(f"{output}: {counts.total():,} rows: {shares}")
        return
    widths = {"label": max(map(len, classifier.labels)), "margin": 10, "probability": 11, "text": 0}
    lines = Lines(widths, numbers=("margin", "probability"))
    for row in rows:
        if json:
            print_line(json_line(row, _COLUMNS))
        else:
            lines.add(row["label"], f"{row['margin']:.4g}", f"{row['probability']:.1%}", printable(row["text"]))


def _rows(model: WindowModel, texts: Iterator[Text], at_once: int) -> Iterator[Record]:
    import numpy as np

    while chunk := list(islice(texts, at_once)):
        scores = model.scores(chunk)
        ordered = np.sort(scores, axis=1)
        margins = ordered[:, -1] - ordered[:, -2]
        chances = model.probabilities(chunk).max(axis=1)
        for text, label, margin, chance in zip(chunk, scores.argmax(axis=1), margins, chances, strict=True):
            yield {"text": text, "label": model.labels[label], "margin": float(margin), "probability": float(chance)}


def _counted(rows: Iterator[Record], counts: Counter[str]) -> Iterator[Record]:
    for row in rows:
        counts[row["label"]] += 1
        yield row
