"""What a certifier answers: one row per text, and what a table of rows is worth."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Final, Literal, overload

import numpy as np
import numpy.typing as npt

from levcert.errors import InputError
from levcert.text.alphabet import Text
from levcert.text.threat import ANY_EDIT, Threat

Unit = Literal["characters", "bytes"]
ABSTAINED: Final = -1  # the radius of a text for which smoothing gives no answer


@dataclass(frozen=True)
class Certificate:
    """A statement about one text: no ``radius`` edits change the answer ``label``.

    Edits are those that ``threat`` allows, of characters or bytes (``unit``).  ``claim`` says how much it is worth:
    "proved" (every text within the radius gets this label), "exact" (and some text at radius + 1 does not),
    "substitutions only" (proved for substitutions of characters that the model knows by others that it knows; not for
    insertions and deletions) or a probability.  Only smoothing gives a radius of −1: it abstains.

    A certificate that is proved becomes exact by its counterexample: whoever finds one right beyond the radius may
    add it with ``dataclasses.replace``.
    """

    text: Text
    label: str
    radius: int
    margin: float | None  # None for classifiers that give labels only
    method: str
    claim: str  # "proved", "exact", "substitutions only" or "probability ≥ 1−α"
    threat: Threat | None = ANY_EDIT  # None: not recorded, in a file of version 0.1
    unit: Unit = "characters"
    upper: int | None = None  # distance of the nearest counterexample found
    counterexample: Text | None = None
    seconds: float = 0.0

    def __post_init__(self) -> None:
        if self.radius < ABSTAINED:
            raise InputError(f"A radius is at least {ABSTAINED}, not {self.radius}.")
        if self.margin is not None and np.isnan(self.margin):
            raise InputError("A margin is a number, and this one is NaN; look for NaN in the model's weights.")
        if (self.upper is None) != (self.counterexample is None):
            raise InputError("A certificate has a counterexample and its distance, or neither.")
        if self.upper is not None and self.upper <= self.radius:
            raise InputError(
                f"A counterexample at distance {self.upper} refutes the certified radius {self.radius}: "
                "this is a defect of the certifier, please report it."
            )
        met = self.upper == self.radius + 1
        if self.claim == "exact" and not met:
            raise InputError("The claim 'exact' needs a counterexample one edit beyond the radius.")
        if self.claim == "proved" and met:
            object.__setattr__(self, "claim", "exact")

    def __str__(self) -> str:
        """Say in one sentence what is claimed."""
        from levcert.certificates.explain import meaning

        found = "" if not self.upper else f" Changed by {self.upper}: {self.counterexample!r}."
        return f"{self.label!r}: {meaning(self)}{found}"


@dataclass(frozen=True)
class Share:
    """A share of texts, with a two-sided Clopper–Pearson interval."""

    hits: int
    total: int
    confidence: float = 0.95

    @property
    def value(self) -> float:
        return self.hits / self.total if self.total else float("nan")

    @property
    def interval(self) -> tuple[float, float]:
        """Return bounds that hold the true share with at least the given confidence, whatever it is.

        The quantiles of the beta distribution that ``scipy.stats.binomtest`` gives, without its slow import.
        """
        from scipy.special import betaincinv

        if not self.total:
            return 0.0, 1.0
        tail = (1 - self.confidence) / 2
        low = betaincinv(self.hits, self.total - self.hits + 1, tail) if self.hits else 0.0
        high = betaincinv(self.hits + 1, self.total - self.hits, 1 - tail) if self.hits < self.total else 1.0
        return float(low), float(high)

    def __str__(self) -> str:
        low, high = self.interval
        return f"{self.value:.1%} [{low:.1%}, {high:.1%}]"


class Certificates(Sequence[Certificate]):
    """A table of certificates; ``radius``, ``upper``, ``margin`` and ``label`` are its columns as arrays."""

    def __init__(self, rows: Iterable[Certificate]) -> None:
        self._rows = list(rows)

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[Certificate]:
        return iter(self._rows)

    @overload
    def __getitem__(self, index: int) -> Certificate: ...
    @overload
    def __getitem__(self, index: slice) -> Certificates: ...
    def __getitem__(self, index: int | slice) -> Certificate | Certificates:
        return Certificates(self._rows[index]) if isinstance(index, slice) else self._rows[index]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Certificates) and self._rows == other._rows

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        methods = ", ".join(sorted({row.method for row in self})) or "no method"
        return f"<{len(self)} certificates by {methods}>"

    @cached_property
    def radius(self) -> npt.NDArray[np.int64]:
        return np.array([row.radius for row in self], dtype=np.int64)

    @cached_property
    def upper(self) -> npt.NDArray[np.float64]:
        """The distances of the nearest counterexamples found; NaN where none was."""
        return np.array([np.nan if row.upper is None else row.upper for row in self], dtype=np.float64)

    @cached_property
    def margin(self) -> npt.NDArray[np.float64]:
        """The margins; NaN where a classifier gave labels only."""
        return np.array([np.nan if row.margin is None else row.margin for row in self], dtype=np.float64)

    @cached_property
    def label(self) -> npt.NDArray[np.str_]:
        return np.array([row.label for row in self], dtype=np.str_)

    def verified_accuracy(self, truth: Sequence[str], k: int, *, confidence: float = 0.95) -> Share:
        """Return the share of texts that have the true label and a radius of at least k.

        At k = 0 this is the accuracy, except that a text for which smoothing abstained counts as wrong.
        """
        if len(truth) != len(self):
            raise InputError(f"There are {len(truth)} true labels for {len(self)} certificates.")
        right = self.label == np.array(truth, dtype=np.str_)
        return Share(int((right & (self.radius >= k)).sum()), len(self), confidence)

    def save(self, path: str | Path) -> None:
        """Write a ``.csv``, ``.jsonl`` or ``.parquet`` file, whole or not at all; see docs/formats.md."""
        from levcert.certificates.files import write_certificates

        write_certificates(self, Path(path))

    @classmethod
    def read(cls, path: str | Path) -> Certificates:
        """Read what :meth:`save` wrote."""
        from levcert.certificates.files import read_certificates

        return cls(read_certificates(Path(path)))

    def to_csv(self, path: str | Path) -> None:
        self._save_as(path, ".csv")

    def to_jsonl(self, path: str | Path) -> None:
        self._save_as(path, ".jsonl")

    def to_parquet(self, path: str | Path) -> None:
        self._save_as(path, ".parquet")

    def _save_as(self, path: str | Path, ending: str) -> None:
        if Path(path).suffix != ending:
            raise InputError(f"The file {path} does not end in {ending}; give it that ending, or use save().")
        self.save(path)
