"""The numbers of a report: shares with intervals, along the distance, by class and by length."""

from __future__ import annotations

from bisect import insort
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from levcert.certificates.certificate import Certificate
from levcert.certificates.difference import Counterexample, describe
from levcert.certificates.share import Share
from levcert.evaluation.evaluator import FARTHEST, Measured
from levcert.evaluation.outcome import Tally
from levcert.models.known_classifiers import names_of

STUDIED: Final = (1, 2)  # the distances of the tables by class and by length
_GROUPS: Final = 6  # of texts of similar length
_SMALLEST_GROUP: Final = 8  # texts; fewer say nothing
_FRAGILE: Final = 10


@dataclass(frozen=True)
class Point:
    """One distance of the curve."""

    k: int
    certified: Share
    attacked: Share
    undecided: int  # texts that are neither certified nor changed


@dataclass(frozen=True)
class Group:
    """Texts of one class or of similar length, and how many of them are right, and provably stay so."""

    name: str
    size: int
    middle: float  # the median length
    clean: Share
    certified: tuple[Share, ...]  # one for each distance of STUDIED


@dataclass(frozen=True)
class Fragile:
    """A text whose label a few edits change."""

    label: str
    margin: float
    counterexample: Counterexample


@dataclass(frozen=True)
class Summary:
    """Everything that the report shows as numbers."""

    size: int
    clean: Share
    curve: list[Point]
    classes: list[Group]
    lengths: list[Group]
    fragile: list[Fragile]
    broken: int  # right texts that some edits found change
    claims: dict[str, int]  # how many rows claim what

    @property
    def largest(self) -> int:
        """The largest distance at which some text is proved to stay right."""
        return max((point.k for point in self.curve if point.certified.hits), default=0)


@dataclass
class Collector:
    """Collects the numbers of a report text by text; only the most fragile texts are kept."""

    model: Any  # one of ours, or what as_classifier takes
    max_distance: int | None
    target: str | None = None
    rows: int = 0
    by_length: dict[int, Tally] = field(default_factory=dict)
    fragile: list[tuple[int, float, int, Certificate]] = field(default_factory=list)  # distance, margin, row: sorted

    def add(self, measured: Measured) -> None:
        """Count a text."""
        self.rows += 1
        certificate, outcome = measured.certificate, measured.outcome
        self.by_length.setdefault(len(certificate.text), Tally()).add(outcome)
        if outcome.right and certificate.upper is not None:
            insort(self.fragile, (certificate.upper, certificate.margin or 0.0, self.rows, certificate))
            del self.fragile[_FRAGILE:]

    def summary(self) -> Summary:
        """Return all numbers."""
        tally = _total(self.by_length.values())
        return Summary(
            size=len(tally),
            clean=tally.clean(),
            curve=_curve(tally, self.max_distance),
            classes=[
                _class(label, self.by_length)
                for label in names_of(self.model) or _truths(tally)
                if label != self.target
            ],
            lengths=_by_length(self.by_length),
            fragile=[_fragile(self.model, certificate) for *_, certificate in self.fragile],
            broken=tally.share(lambda outcome: outcome.right and outcome.upper is not None).hits,
            claims=tally.claims,
        )


def _truths(tally: Tally) -> list[str]:
    """Return the labels that occur, for a function that does not name its classes."""
    return sorted({outcome.truth for outcome in tally.counts})


def _total(tallies: Iterable[Tally]) -> Tally:
    return sum(tallies, start=Tally())


def _curve(tally: Tally, max_distance: int | None) -> list[Point]:
    """Follow the distances to the given one, or until no text survives."""
    points: list[Point] = []
    for k in range((FARTHEST if max_distance is None else max_distance) + 1):
        undecided = tally.share(lambda outcome, k=k: outcome.undecided(k)).hits  # type: ignore[misc]
        points.append(Point(k, tally.verified(k), tally.attacked(k), undecided))
        if max_distance is None and not points[-1].attacked.hits and k:
            break
    return points


def _class(label: str, by_length: Mapping[int, Tally]) -> Group:
    return _group(label, {length: tally.with_truth(label) for length, tally in by_length.items()})


def _group(name: str, by_length: Mapping[int, Tally]) -> Group:
    tally = _total(by_length.values())
    lengths = _lengths(by_length)
    middle = float(np.median(lengths)) if len(lengths) else 0.0
    return Group(name, len(tally), middle, tally.clean(), tuple(map(tally.verified, STUDIED)))


def _lengths(by_length: Mapping[int, Tally]) -> npt.NDArray[np.int64]:
    """Return the lengths of all texts, sorted."""
    return np.repeat(sorted(by_length), [len(by_length[length]) for length in sorted(by_length)])


def _by_length(by_length: Mapping[int, Tally]) -> list[Group]:
    """Cut the texts into groups of about equal size; texts of equal length stay together."""
    lengths = _lengths(by_length)
    count = max(1, min(_GROUPS, len(lengths) // _SMALLEST_GROUP))
    borders = np.unique(np.quantile(lengths, np.arange(1, count) / count, method="higher"))
    groups: dict[int, dict[int, Tally]] = {}
    for length in sorted(by_length):
        groups.setdefault(int(np.searchsorted(borders, length, side="left")), {})[length] = by_length[length]
    return [_group(_range(min(group), max(group)), group) for group in groups.values()]


def _range(low: int, high: int) -> str:
    return f"{low:,}" if low == high else f"{low:,}–{high:,}"


def _fragile(model: Any, certificate: Certificate) -> Fragile:
    assert certificate.counterexample is not None and certificate.upper is not None  # noqa: PT018 - chosen so
    shown = describe(model, certificate.text, certificate.counterexample, certificate.upper)
    return Fragile(certificate.label, certificate.margin or 0.0, shown)
