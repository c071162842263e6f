"""What a dataset is: two splits of texts with labels, and a fingerprint."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from levcert.errors import InputError
from levcert.files.html_table import html_table
from levcert.text.alphabet import Text, hashable_bytes

_SHOWN = 60  # characters of a text in a repr


@dataclass(frozen=True, eq=False, repr=False)
class Split:
    """Texts and the numbers of their labels; ``weights`` say how much each row counts in training.

    Examples:
        >>> import numpy as np
        >>> levcert.Split(["win a prize", "lunch?"], np.array([1, 0]))
        <Split: 2 texts, first 'win a prize'>
    """

    texts: Sequence[Text]
    labels: npt.NDArray[np.int64]
    weights: npt.NDArray[np.float64] | None = None  # None: all rows count the same

    def __post_init__(self) -> None:
        if len(self.texts) != len(self.labels):
            raise InputError(
                f"There are {len(self.texts)} texts and {len(self.labels)} labels; give one label per text."
            )
        if self.weights is not None:
            check_weights(self.weights, len(self.texts))

    def __len__(self) -> int:
        return len(self.texts)

    def __repr__(self) -> str:
        first = repr(self.texts[0][:_SHOWN]) + "…" * (len(self.texts[0]) > _SHOWN) if self.texts else "none"
        return f"<Split: {len(self):,} text{'s' * (len(self) != 1)}, first {first}>"

    def take(self, rows: npt.NDArray[np.int64] | slice) -> Split:
        """Return the rows with these numbers as a new split."""
        chosen = range(len(self))[rows] if isinstance(rows, slice) else rows
        weights = None if self.weights is None else self.weights[rows]
        return Split([self.texts[i] for i in chosen], self.labels[rows], weights)

    def cut(self, length: int | None) -> Split:
        """Return the split with each text truncated to its first ``length`` characters; None: unchanged."""
        return self if length is None else Split([text[:length] for text in self.texts], self.labels, self.weights)

    @cached_property
    def fingerprint(self) -> str:
        """A SHA-256 over all texts, labels and weights in order: equal for equal data, on every machine."""
        digest = hashlib.sha256()
        for text, label in zip(self.texts, self.labels, strict=True):
            raw = hashable_bytes(text)
            digest.update(b"%d %d " % (label, len(raw)))
            digest.update(raw)
        if self.weights is not None:
            digest.update(self.weights.astype("<f8").tobytes())
        return digest.hexdigest()


@dataclass(frozen=True, eq=False)
class Dataset:
    """A training and a test split; ``labels[i]`` is the name of the label with number i.

    Examples:
        >>> data = levcert.load_dataset("toy")
        >>> data.labels[data.train.labels[0]], data.train.texts[0]
        ('digits', '0979519426418z306753751007408')
    """

    name: str
    labels: tuple[str, ...]
    train: Split
    test: Split
    source: str  # where the rows came from, for people

    def __post_init__(self) -> None:
        for name, split in (("training", self.train), ("test", self.test)):
            if len(split) and not 0 <= split.labels.min() <= split.labels.max() < len(self.labels):
                raise InputError(f"A {name} label of {self.name} is not a number from 0 to {len(self.labels) - 1}.")

    def __repr__(self) -> str:
        return f"<Dataset {self.name}: {len(self.train)} train, {len(self.test)} test, {len(self.labels)} labels>"

    def _repr_html_(self) -> str:
        """Show a notebook how many texts each label has, and one of them."""
        rows = []
        for number, label in enumerate(self.labels):
            train, test = (np.flatnonzero(split.labels == number) for split in (self.train, self.test))
            example = self.train.texts[train[0]] if len(train) else None
            rows.append((label, f"{len(train):,}", f"{len(test):,}", example))
        return html_table(("label", "train", "test", "example"), rows, repr(self)[1:-1])


def check_weights(weights: npt.NDArray[np.float64], rows: int) -> None:
    """Reject weights that are not one finite number of at least 0 per row."""
    if weights.shape != (rows,):
        raise InputError(f"There are {rows} texts and weights of shape {weights.shape}; give one weight per text.")
    bad = np.flatnonzero(~(np.isfinite(weights) & (weights >= 0)))
    if len(bad):
        raise InputError(f"The weight of row {bad[0]} is {weights[bad[0]]}; weights are numbers of at least 0.")


def holdout(split: Split, rows: int, seed: int) -> tuple[Split, Split]:
    """Hold out ``rows`` random rows, in their original order: (the rest, the held-out rows)."""
    if not 0 <= rows < len(split):
        raise InputError(f"Cannot hold out {rows} of {len(split)} rows; choose fewer.")
    aside = np.zeros(len(split), dtype=bool)
    aside[np.random.default_rng(seed).permutation(len(split))[:rows]] = True
    return split.take(np.flatnonzero(~aside)), split.take(np.flatnonzero(aside))


def holdout_apart(split: Split, rows: int, seed: int) -> tuple[Split, Split]:
    """Hold out rows of which training does not even see parts: (the rest, the held-out rows).

    Some corpora contain sentences as well as phrases of the same sentences (SST-2).  The held-out rows occur inside no
    other row, and rows that occur inside them are left out of the rest: a validation as strict as the test.
    """
    if not 0 < rows < len(split):
        raise InputError(f"Cannot hold out {rows} of {len(split)} rows; choose fewer.")
    texts = [str(text).strip() for text in split.texts]
    everything = "\n".join(texts)
    aside: list[int] = []
    for row in np.random.default_rng(seed).permutation(len(split)):
        if texts[row] and everything.find(texts[row]) == everything.rfind(texts[row]):
            aside.append(int(row))
            if len(aside) == rows:
                break
    held = "\n".join(texts[row] for row in aside)
    rest = [row for row in range(len(split)) if texts[row] not in held]
    if len(aside) < rows or not rest:
        raise InputError(f"Only {len(aside)} of {len(split)} rows occur inside no other row; hold out fewer.")
    return split.take(np.array(rest)), split.take(np.array(sorted(aside)))
