"""A dataset from the user's own files."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import Literal

import numpy as np

from levcert.datasets.dataset import Dataset, Split
from levcert.datasets.readers import Row, RowReader
from levcert.errors import InputError
from levcert.text.alphabet import Text, hashable_bytes


def dataset_from_files(
    train: str | Path,
    test: str | Path | None = None,
    *,
    text_column: str = "text",
    label_column: str = "label",
    weight_column: str | None = None,
    on_bad_row: Literal["error", "skip"] = "error",
    test_share: float = 0.1,
    skipped: Counter[str] | None = None,
    encoding: str | None = None,
    delimiter: str | None = None,
) -> Dataset:
    r"""Read a training and a test file; without a test file, hold out a share of the training texts.

    A hash of the text decides which rows are held out, so equal texts are on the same side and the split is the same
    on every machine.  ``weight_column`` says how much each training row counts.  ``skipped`` counts the bad rows that
    were skipped, by reason.  The encoding, and what separates the columns of csv, are guessed unless they are given.

    Examples:
        >>> from pathlib import Path
        >>> _ = Path("mails.csv").write_text("body,topic\nwin a prize,spam\nlunch?,friends\nfree money,spam\n")
        >>> levcert.dataset_from_files("mails.csv", text_column="body", label_column="topic", test_share=0)
        <Dataset mails.csv: 3 train, 0 test, 2 labels>
    """
    if not 0 <= test_share < 1 or not label_column:
        raise InputError("test_share must be in [0, 1), and label_column must name a column.")
    skipped = Counter() if skipped is None else skipped
    read = partial(
        RowReader, text_column=text_column, label_column=label_column, on_bad_row=on_bad_row, skipped=skipped,
        encoding=encoding, delimiter=delimiter,
    )  # fmt: skip
    rows = list(read(train, weight_column=weight_column))
    if not rows:
        raise InputError(f"{train} has no rows to train on.")
    labels = sorted_labels(row.label for row in rows if row.label is not None)
    if len(labels) < 2:
        raise InputError(f"All rows of {train} have the label {labels[0]!r}; a classifier needs at least two labels.")
    if test is None:
        aside = [_hash_share(row.text) < test_share for row in rows]
        test_rows = [row for row, is_aside in zip(rows, aside, strict=True) if is_aside]
        rows = [row for row, is_aside in zip(rows, aside, strict=True) if not is_aside]
    else:
        test_rows = list(read(test))
    return Dataset(
        name=Path(train).name,
        labels=labels,
        train=_split(rows, labels, train),
        test=_split(test_rows, labels, test or train),
        source=str(train) if test is None else f"{train} and {test}",
    )


def sorted_labels(labels: Iterable[str]) -> tuple[str, ...]:
    """Return the distinct labels in order: by value if all are integers, else as strings."""
    different = set(labels)
    if all(re.fullmatch(r"-?[0-9]{1,18}", label) for label in different):
        return tuple(sorted(different, key=lambda label: (int(label), label)))
    return tuple(sorted(different))


def _split(rows: list[Row], labels: tuple[str, ...], path: str | Path) -> Split:
    number = {label: index for index, label in enumerate(labels)}
    for row in rows:
        if row.label not in number:
            raise InputError(f"{path}: line {row.line}: the label {row.label!r} does not occur in the training file.")
    numbers = np.array([number[row.label] for row in rows if row.label is not None], dtype=np.int64)
    weights = [row.weight for row in rows if row.weight is not None]
    return Split([row.text for row in rows], numbers, np.array(weights) if len(weights) == len(rows) != 0 else None)


def _hash_share(text: Text) -> float:
    """Return a number in [0, 1) that depends only on the text."""
    raw = hashable_bytes(text)
    return int.from_bytes(hashlib.sha256(raw).digest()[:8], "big") / 2**64
