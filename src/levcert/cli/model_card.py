"""The model card of ``levcert info --card``: Markdown about one model file, from what the file itself records."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

_NEVER_SEEN = "The file does not record how it was trained."


def model_card(path: Path, facts: Mapping[str, Any]) -> str:
    """Return the card of a model; ``facts`` are those of ``levcert info --json``."""
    return "\n".join(_lines(path, facts)) + "\n"


def _lines(path: Path, facts: Mapping[str, Any]) -> Iterator[str]:
    unit = "byte" if facts["alphabet"]["kind"] == "bytes" else "character"
    training = facts["training"]
    yield f"# Model card: {path.name}"
    yield ""
    yield f"A classifier of texts for levcert (kind `{facts['kind']}`), which reads {unit}s."
    yield ""
    yield "| | |"
    yield "|---|---|"
    yield f"| labels | {_cell(', '.join(facts['labels']))} |"
    yield f"| alphabet | {facts['alphabet']['size']} {unit}s |"
    yield f"| parameters | {facts['parameters']:,} |"
    yield f"| file | {path.stat().st_size:,} bytes, SHA-256 `{hashlib.sha256(path.read_bytes()).hexdigest()}` |"
    yield ""
    yield "## Training"
    data, metrics = training.get("data", {}), training.get("metrics", {})
    if data:
        rows = f"{data['rows']:,} rows" if isinstance(data.get("rows"), int) else "rows"
        yield f"Trained on {rows} of {_cell(data.get('name', 'an unnamed dataset'))}."
    else:
        yield _NEVER_SEEN
    for name, sentence in (
        ("test", "Accuracy on held-out test rows: {:.1%}."),
        ("validation", "Accuracy on the validation rows that chose the epoch: {:.1%}."),
    ):
        if isinstance(metrics.get(name), float):
            yield sentence.format(metrics[name])
    options = training.get("config", {})
    if options:
        yield ""
        yield "| option | value |"
        yield "|---|---|"
        for name, value in options.items():
            yield f"| {name} | {_cell(value)} |"
    yield ""
    yield "## What can be claimed"
    yield f'`levcert certify {path.name} "a text"` proves how many edits of single {unit}s cannot change its label.'
    yield f"`levcert evaluate {path.name} test.csv` measures clean, verified and attacked accuracy on labelled texts."
    yield "This card contains no robustness figures: they belong to texts, and the file does not hold any."
    yield ""
    yield "## What cannot"
    yield "- A certificate says that a label stays the same, not that it is correct."
    yield f"- It is about edits of single {unit}s of the text that was certified, not about paraphrases or other texts."
    yield "- Accuracy on new kinds of text may be lower than above."


def _cell(value: object) -> str:
    text = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
    return " ".join(text.split()).replace("|", "\\|")
