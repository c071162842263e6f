"""The numbers of a report: shares with intervals, along the distance, by class and by length."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from levcert.certificates.certificate import Certificate
from levcert.certificates.difference import Counterexample, describe
from levcert.certificates.share import Share
from levcert.models.window import WindowModel
from levcert.report.measure_texts import FARTHEST, ReportRow

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
    """A text that few edits change."""

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


def summarise(model: WindowModel, rows: Sequence[ReportRow], max_distance: int | None) -> Summary:
    """Compute all numbers from the rows."""
    broken = [row.certificate for row in rows if row.right and row.certificate.upper]
    broken.sort(key=lambda certificate: (certificate.upper, certificate.margin))
    return Summary(
        size=len(rows),
        clean=share(rows, lambda row: row.right),
        curve=_curve(rows, max_distance),
        classes=[_group(label, [row for row in rows if row.truth == label]) for label in model.labels],
        lengths=_by_length(rows),
        fragile=[_fragile(model, certificate) for certificate in broken[:_FRAGILE]],
        broken=len(broken),
        claims=dict(sorted(Counter(row.certificate.claim for row in rows).items())),
    )


def share(rows: Sequence[ReportRow], of: Callable[[ReportRow], bool]) -> Share:
    """Return the share of rows for which something holds."""
    return Share(sum(map(of, rows)), len(rows))


def _curve(rows: Sequence[ReportRow], max_distance: int | None) -> list[Point]:
    """Follow the distances to the given one, or until no text survives."""
    points: list[Point] = []
    for k in range((FARTHEST if max_distance is None else max_distance) + 1):
        certified = share(rows, lambda row, k=k: row.certified(k))  # type: ignore[misc]
        attacked = share(rows, lambda row, k=k: row.survives(k))  # type: ignore[misc]
        points.append(Point(k, certified, attacked))
        if max_distance is None and not attacked.hits and k:
            break
    return points


def _group(name: str, rows: Sequence[ReportRow]) -> Group:
    middle = float(np.median([len(row.certificate.text) for row in rows])) if rows else 0.0
    certified = tuple(share(rows, lambda row, k=k: row.certified(k)) for k in STUDIED)  # type: ignore[misc]
    return Group(name, len(rows), middle, share(rows, lambda row: row.right), certified)


def _by_length(rows: Sequence[ReportRow]) -> list[Group]:
    """Cut the texts into groups of about equal size; texts of equal length stay together."""
    lengths = np.array([len(row.certificate.text) for row in rows])
    count = max(1, min(_GROUPS, len(rows) // _SMALLEST_GROUP))
    borders = np.unique(np.quantile(lengths, np.arange(1, count) / count, method="higher"))
    groups = []
    for number in range(len(borders) + 1):
        chosen = np.flatnonzero(np.searchsorted(borders, lengths, side="left") == number).tolist()
        if len(chosen):
            low, high = lengths[chosen].min(), lengths[chosen].max()
            name = f"{low:,}" if low == high else f"{low:,}–{high:,}"
            groups.append(_group(name, [rows[index] for index in chosen]))
    return groups


def _fragile(model: WindowModel, certificate: Certificate) -> Fragile:
    assert certificate.counterexample is not None and certificate.upper is not None  # noqa: PT018 - chosen so
    shown = describe(model, certificate.text, certificate.counterexample, certificate.upper)
    return Fragile(certificate.label, certificate.margin or 0.0, shown)
