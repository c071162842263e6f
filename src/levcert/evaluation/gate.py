"""A gate for releases: shares that a model must reach on labelled texts, compared by their lower confidence bounds.

A share that was measured on n texts says only so much about new texts.  A requirement passes if the one-sided
Clopper–Pearson bound of its share is at least the share required: then the true share is at least that large, with the
given confidence for each requirement alone.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from levcert.certificates.certificate import Certificate
from levcert.certificates.claims import IS_TARGET
from levcert.certificates.explain import claimed_edits
from levcert.certificates.share import Share
from levcert.errors import InputError
from levcert.evaluation.evaluate import Evaluation
from levcert.evaluation.evaluator import Measured
from levcert.text.alphabet import Text

_EXAMPLES: Final = 10  # texts of each requirement that missed it


@dataclass(frozen=True)
class Requirement:
    """At least ``share`` of the texts (of those with the true label ``label``) are right and stay so under k edits."""

    k: int
    share: float
    label: str | None = None  # None: all texts

    def __post_init__(self) -> None:
        if isinstance(self.k, bool) or not isinstance(self.k, int) or self.k < 0:
            raise InputError(f"A number of edits is an integer of at least 0, not {self.k!r}.")
        if not isinstance(self.share, int | float) or not 0 < self.share <= 1:
            raise InputError(f"A required share is a number above 0 and at most 1, such as 0.9, not {self.share!r}.")

    @classmethod
    def verified(cls, text: str) -> Requirement:
        """Read K:SHARE, such as 1:0.90."""
        found = re.fullmatch(r"\s*(\d+)\s*:\s*([^:]+)", text)
        if not found:
            raise InputError(f"--min-verified takes EDITS:SHARE, such as 1:0.90, not {text!r}.")
        return cls(int(found[1]), _number(found[2]))

    @classmethod
    def recall(cls, text: str) -> Requirement:
        """Read LABEL:K:SHARE, such as spam:2:0.8; the label may contain colons."""
        found = re.fullmatch(r"(.+):\s*(\d+)\s*:\s*([^:]+)", text, re.DOTALL)
        if not found:
            raise InputError(f"--min-recall takes LABEL:EDITS:SHARE, such as spam:2:0.8, not {text!r}.")
        return cls(int(found[2]), _number(found[3]), found[1])


def _number(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 < value <= 1:
        raise InputError(f"A required share is a number above 0 and at most 1, such as 0.9, not {text!r}.")
    return value


@dataclass(frozen=True)
class Missed:
    """A text that is wrong, or not proved to stay right."""

    text: Text
    truth: str
    label: str
    radius: int

    @classmethod
    def of(cls, certificate: Certificate, truth: str) -> Missed:
        return cls(certificate.text, truth, certificate.label, certificate.radius)


@dataclass(frozen=True)
class Check:
    """A requirement, what was measured, and whether that is enough."""

    requirement: Requirement
    measured: Share
    confidence: float
    name: str
    missed: tuple[Missed, ...] = ()  # the first of them

    @property
    def lower(self) -> float:
        """The one-sided lower confidence bound."""
        return Share(self.measured.hits, self.measured.total, 2 * self.confidence - 1).interval[0]

    @property
    def passed(self) -> bool:
        return self.measured.total > 0 and self.lower >= self.requirement.share

    @property
    def sentence(self) -> str:
        """Say what was found."""
        if not self.measured.total:
            return "there is no text to measure it on"
        found = f"{self.measured.hits:,} of {self.measured.total:,} texts ({self.measured.value:.1%})"
        verb = "at least" if self.passed else "below"
        lower = math.floor(1000 * self.lower) / 10  # rounded down, so that what is shown is a bound, too
        return f"{found}; lower bound {lower:.1f}%, {verb} the required {100 * self.requirement.share:.4g}%"

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON can hold it; bytes in hexadecimal."""
        requirement = self.requirement
        rows = [_missed_dict(missed) for missed in self.missed]
        return {
            "name": self.name, "passed": self.passed, "edits": requirement.k, "label": requirement.label,
            "required": requirement.share, "hits": self.measured.hits, "total": self.measured.total,
            "value": self.measured.value if self.measured.total else None, "lower": self.lower,
            "confidence": self.confidence, "missed": rows,
        }  # fmt: skip


def _missed_dict(missed: Missed) -> dict[str, Any]:
    text = {"text_hex": missed.text.hex()} if isinstance(missed.text, bytes) else {"text": missed.text}
    return text | {"truth": missed.truth, "label": missed.label, "radius": missed.radius}


@dataclass
class Gate:
    """Counts texts for all requirements, and keeps a few that missed each."""

    requirements: Sequence[Requirement]
    labels: Sequence[str]
    confidence: float = 0.95
    missed: dict[Requirement, list[Missed]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.requirements:
            raise InputError("Nothing is required; give at least one of --min-verified and --min-recall.")
        if not 0.5 <= self.confidence < 1:
            raise InputError(f"The confidence must be at least 0.5 and below 1, not {self.confidence!r}.")
        for requirement in self.requirements:
            if requirement.label is not None and requirement.label not in self.labels:
                known = ", ".join(map(repr, self.labels))
                raise InputError(f"There is no label {requirement.label!r} to require recall of; there are {known}.")

    @property
    def distance(self) -> int:
        """The largest number of edits that matters."""
        return max(requirement.k for requirement in self.requirements)

    def watch(self, rows: Iterable[Measured], evaluation: Evaluation) -> None:
        """Count all texts in an evaluation."""
        for measured in rows:
            evaluation.add(measured)
            for requirement in self.requirements:
                kept = self.missed.setdefault(requirement, [])
                if self._misses(requirement, measured, evaluation.target) and len(kept) < _EXAMPLES:
                    kept.append(Missed.of(measured.certificate, measured.outcome.truth))

    @staticmethod
    def _misses(requirement: Requirement, measured: Measured, target: str | None) -> bool:
        """Say whether a text counts for a requirement and is not verified."""
        truth = measured.outcome.truth
        counts = truth != target if requirement.label is None else truth == requirement.label
        return counts and not measured.outcome.verified(requirement.k)

    def checks(self, evaluation: Evaluation) -> list[Check]:
        """Return what became of each requirement."""
        claim = next((claim for claim in evaluation.claims if claim != IS_TARGET), "proved")
        found = []
        for requirement in self.requirements:
            k, label, target = requirement.k, requirement.label, evaluation.target
            of = (
                f"recall of {label}"
                if label is not None
                else "accuracy"
                if target is None
                else f"recall of non-{target}"
            )
            edits = claimed_edits(k, claim, evaluation.threat, evaluation.unit)
            edits += "" if target is None else f" to make it {target}"  # a third label does not count against a text
            name = f"verified {of} under {k} {edits} ≥ {requirement.share:g}" if k else f"{of} ≥ {requirement.share:g}"
            share, missed = evaluation.verified(k, label), tuple(self.missed.get(requirement, ()))
            found.append(Check(requirement, share, self.confidence, name, missed))
        return found
