"""Certificates that are true, and the same made false: the audit refutes no true one and confirms no false one.

The truth comes from the oracle, which shares no code with the audit.  Rows go through each file format in turn, as the
command reads them, because a row that is misread is a row about something else.
"""

from __future__ import annotations

import itertools
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from levcert import Certificate, Certificates
from levcert.certificates.audit import Finding, audit
from tests.trouble.judge import Case
from tests.trouble.oracle import Scorer, is_lost, rules_of, seen_ball

FORMATS = (".jsonl", ".csv", ".parquet", None)  # None: from memory
MOST_TEXTS = 1500  # of a ball that the oracle lists and the audit enumerates


@dataclass
class Campaign:
    """What the audit said, and every verdict that is wrong."""

    verdicts: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)

    def add(self, case: Case, suffix: str | None) -> None:
        """Audit all rows of one case."""
        rows = list(true_and_false_rows(case))
        with tempfile.TemporaryDirectory() as folder:
            model = Path(folder) / "model.safetensors"
            case.model.save(model)
            for (what, true, row), finding in zip(rows, _audited(model, [r for _, _, r in rows], suffix), strict=True):
                self.verdicts[what, "true" if true else "false", finding.verdict] += 1
                if finding.verdict == ("REFUTED" if true else "confirmed by enumeration"):
                    self.wrong.append(f"{what} is {true}, but {finding} ({suffix}; {row!r}; {case})")


def campaign(cases: Iterable[Case], count: int) -> Campaign:
    """Audit the rows of this many cases."""
    result, formats = Campaign(), itertools.cycle(FORMATS)
    for case in itertools.islice(cases, count):
        result.add(case, next(formats))
    return result


def _audited(model: Path, rows: list[Certificate], suffix: str | None) -> tuple[Finding, ...]:
    if suffix is None:
        return audit(model, rows).findings
    path = model.with_name(f"rows{suffix}")
    Certificates(rows).save(path)
    return audit(model, path).findings


def true_and_false_rows(case: Case) -> Iterator[tuple[str, bool, Certificate]]:
    """Give rows about a case, each with whether it is true."""
    scorer = Scorer(case.model)
    rules = rules_of(case.threat, scorer.reader)
    k = min(case.k, 2)
    seen = seen_ball(case.text, k, rules)
    if len(seen) > MOST_TEXTS:
        return
    found = [(distance, scorer.label(ids, text), text) for ids, (distance, text) in seen.items()]
    label = scorer.label(scorer.reader.ids(case.text), case.text)
    labels: tuple[str, ...] = case.model.labels

    def row(radius: int, claim: str = "proved", **other: Any) -> Certificate:
        kind, fold = case.model.alphabet.kind, case.model.alphabet.fold.name
        fields: dict[str, Any] = {"label": labels[label], "threat": case.threat, "unit": kind, "fold": fold} | other
        return Certificate(case.text, radius=radius, margin=1.0, method="test", claim=claim, **fields)

    def radius_of(target: int | None) -> tuple[int, Any]:
        lost = [(d, text) for d, other, text in found if is_lost(other, label, target)]
        nearest = min(lost, key=lambda pair: pair[0], default=(k + 1, None))
        return nearest[0] - 1, nearest[1]

    radius, text = radius_of(None)
    yield "the radius", True, row(radius)
    if text is not None:
        yield "an exact radius", True, row(radius, "exact", upper=radius + 1, counterexample=text)
        yield "a radius one too large", False, row(radius + 1)
        yield "a radius far too large", False, row(radius + 7)
    for target in set(range(len(labels))) - {label}:
        own, text = radius_of(target)
        name = labels[target]
        yield "a one-sided radius", True, row(own, target=name)
        yield "radii of classes", True, row(radius, class_radii={name: own})
        if text is not None:
            yield "a one-sided radius one too large", False, row(own + 1, target=name)
            yield "a radius of a class one too large", False, row(radius, class_radii={name: own + 1})
            yield "an exact one-sided radius", True, row(own, "exact", target=name, upper=own + 1, counterexample=text)
        yield "another label", False, row(0, label=name)
