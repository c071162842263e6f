"""Every certifier and every attack on one case, compared with the oracle: the sandwich that all searches end in.

certified ≤ exact radius < distance of every counterexample, and each counterexample is reachable and changes the label.
"""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import levcert
from levcert import Threat
from levcert.attacks.attack import ATTACKS
from levcert.certificates.claims import IS_TARGET
from levcert.certifiers.certify import CERTIFIERS
from levcert.certifiers.deletion_smoothing_huang_2023 import DeletionSmoothing
from levcert.certifiers.exact import Exact
from levcert.certifiers.interval_huang_2019 import Interval
from levcert.certifiers.lipslev import LipsLev
from levcert.certifiers.search.edit_chains import Chains
from levcert.errors import InputError
from tests.trouble.oracle import (
    Rules,
    Scorer,
    Truth,
    ball,
    far_counterexample,
    id_substitution_rules,
    is_lost,
    rules_of,
    smoothed_share,
    truth,
    typed_distance,
)

# Options of certifiers that take another way through the code.  A new entry of the registry is judged without any.
VARIANTS: dict[str, list[Any]] = {
    "chains": [Chains(symbols=False)],
    "exact": [Exact(max_distance=4, nodes=None, evaluations=None), Exact(evaluations=3)],
    "interval": [Interval(elide=False)],
    "lipslev": [LipsLev(p=1), LipsLev(p=float("inf")), LipsLev(local=False)],
}
# α is small, so that a lie of the samples is never met; deletion is low, so that small texts have radii at all.
SMOOTHING = DeletionSmoothing(deletion=0.6, prediction_samples=40, bound_samples=400, alpha=1e-9)
SMOOTHED_LENGTH, SMOOTHED_DISTANCE = 4, 1  # what the exact smoothed classifier is computed for


@dataclass(frozen=True)
class Case:
    """A model, a text as typed and a threat; the ball is enumerated up to ``k`` edits.

    With a target, the certificates are one-sided.
    """

    model: Any
    text: Any
    threat: Threat
    k: int
    attacks: bool = False
    origin: str = ""
    target: str | None = None

    def __str__(self) -> str:
        limits = f"{self.threat}" + (f" {self.threat.neighbours}" if self.threat.neighbours is not None else "")
        limits += f", deletable {self.threat.deletable!r}" if self.threat.deletable is not None else ""
        limits += f", target {self.target}" if self.target is not None else ""
        return f"{self.origin}: {self.text!r} of {_described(self.model)} under {limits}"


@dataclass(frozen=True)
class Finding:
    """One false sentence: who said it, what it said, and what is true."""

    method: str
    kind: str  # radius, exact, counterexample, label or crash
    what: str
    case: Case

    def __str__(self) -> str:
        return f"[{self.kind}] {self.method}: {self.what}\n    {self.case}"


@dataclass
class Tally:
    """Verdicts per method, refusals, and everything that was false."""

    verdicts: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    decided: Counter[str] = field(default_factory=Counter)  # verdicts with a radius of at least 1
    unsound: list[Finding] = field(default_factory=list)
    cases: int = 0

    def add(self, case: Case) -> list[Finding]:
        """Judge a case and keep the result."""
        before = len(self.unsound)
        with np.errstate(all="ignore"):  # overflow on the way to a bound of infinity is not a false sentence
            _Judge(case, self).run()
        self.cases += 1
        return self.unsound[before:]

    def include(self, other: Tally) -> None:
        """Add another search's result."""
        for name in ("verdicts", "refused", "decided"):
            getattr(self, name).update(getattr(other, name))
        self.unsound += other.unsound
        self.cases += other.cases

    def __str__(self) -> str:
        lines = [f"{self.cases} cases, {self.verdicts.total()} verdicts, {len(self.unsound)} unsound"]
        false: dict[str, Counter[str]] = {}
        for finding in self.unsound:
            false.setdefault(finding.method.split("(")[0], Counter())[finding.kind] += 1
        for name in [*CERTIFIERS, *(f"attack {name}" for name in ATTACKS)]:
            lines.append(
                f"  {name:16} {self.verdicts[name]:8} verdicts {self.decided[name]:8} with radius ≥ 1 "
                f"{self.refused[name]:8} refused   unsound: {_listed(false.get(name))}"
            )
        first = {(finding.method.split("(")[0], finding.kind): finding for finding in reversed(self.unsound)}
        return "\n".join([*lines, *map(str, first.values())])


def judged(
    cases: Iterable[Case], *, count: int | None = None, seconds: float | None = None, enough: float = math.inf
) -> Tally:
    """Judge cases until there are no more, or so many, or the time is over, or ``enough`` is false."""
    tally, started = Tally(), time.monotonic()
    for case in cases:
        tally.add(case)
        late = seconds is not None and time.monotonic() - started > seconds
        if late or (count is not None and tally.cases >= count) or len(tally.unsound) >= enough:
            break
    return tally


@dataclass
class _Judge:
    case: Case
    tally: Tally

    def run(self) -> None:
        self.scorer = Scorer(self.case.model)
        self.rules = rules_of(self.case.threat, self.scorer.reader)
        case = self.case
        self.target = None if case.target is None else case.model.labels.index(case.target)
        self.truth = truth(self.scorer, case.text, case.k, self.rules, target=self.target)
        self.far = None
        if self.truth.radius == case.k:
            label = self.truth.label
            self.far = far_counterexample(self.scorer, case.text, label, case.k, self.rules, self.target)
        for name in CERTIFIERS:
            if name == "smoothing":
                if self.target is None:
                    self._smoothing()
                continue
            if name == "brute-force" and self.truth.size > 400:
                continue  # it asks about every text, as the oracle does
            limited = name in ("auto", "exact", "brute-force")  # these search no farther than they are asked to
            for method in (name, *VARIANTS.get(name, [])):
                self._certifier(name, method, self.case.k if limited else None)
            if name in ("auto", "exact"):
                self._certifier(name, name, None)
        if self.case.attacks:
            for name in ATTACKS:
                self._attack(name)

    def _say(self, method: str, kind: str, what: str) -> None:
        self.tally.unsound.append(Finding(method, kind, what, self.case))

    def _certifier(self, name: str, method: Any, most: int | None) -> None:
        case = self.case
        said_by = f"{name}({method if method != name else ''}{'' if most is None else f', max_distance={most}'})"
        try:
            row = levcert.certify(
                case.model, [case.text], method, threat=case.threat, max_distance=most, target=case.target
            )[0]
        except InputError as error:
            if "defect" in str(error) or "'exact' needs" in str(error):
                self._say(said_by, "radius", f"contradicts itself: {error}")
            self.tally.refused[name] += 1
            return
        except Exception as error:
            self._say(said_by, "crash", f"crashed: {type(error).__name__}: {error}")
            return
        self.tally.verdicts[name] += 1
        self.tally.decided[name] += row.radius >= 1
        if row.label != case.model.labels[self.truth.label]:
            self._say(
                said_by, "label", f"gives the label {row.label!r}, predict {case.model.labels[self.truth.label]!r}"
            )
            return
        if self.target == self.truth.label:
            if (row.claim, row.radius, row.counterexample) != (IS_TARGET, 0, None):
                self._say(said_by, "label", f"claims {row.claim} {row.radius} of a text that has the target's label")
            return
        known = self._known_substitutions if row.claim.startswith("substitutions only") else self.truth
        if min(row.radius, case.k) > known.radius:
            self._say(
                said_by,
                "radius",
                f"claims radius {row.radius} ({row.claim}), but {known.counterexample!r} at {known.radius + 1} changes "
                "the label",
            )
        if known is self.truth and self.far is not None and row.radius >= self.far[0]:
            self._say(
                said_by,
                "radius",
                f"claims radius {row.radius} ({row.claim}), but {self.far[1]!r} within {self.far[0]} changes the label",
            )
        if row.claim == "exact" and row.radius < min(known.radius, case.k):
            self._say(
                said_by, "exact", f"claims exactly {row.radius}, true is {known.radius} (searched up to {case.k})"
            )
        if row.counterexample is not None:
            self._counterexample(said_by, row.counterexample, row.upper)

    def _counterexample(self, said_by: str, found: Any, upper: float) -> None:
        """A counterexample lies beyond the true radius, within its distance, and predict labels it otherwise."""
        case, rules = self.case, self.rules
        if upper <= min(self.truth.radius, case.k):
            self._say(
                said_by,
                "counterexample",
                f"has {found!r} at {upper}, but nothing up to {self.truth.radius} changes the label",
            )
        reached = typed_distance(case.text, found, rules)
        if reached > upper:
            self._say(said_by, "counterexample", f"has {found!r} at {upper}, but allowed edits need {reached}")
        labels = (
            self.scorer.label(self.scorer.reader.ids(found), found),
            case.model.labels.index(str(case.model.predict([found])[0])),
        )
        if not all(is_lost(label, self.truth.label, self.target) for label in labels):
            self._say(
                said_by, "counterexample", f"has {found!r} at {upper} as a counterexample, and predict refutes nothing"
            )

    @property
    def _known_substitutions(self) -> Truth:
        rules = id_substitution_rules(self.rules)
        return truth(self.scorer, self.case.text, self.case.k, rules, target=self.target)

    def _attack(self, name: str) -> None:
        case, said_by = self.case, f"attack {name}"
        try:
            found = levcert.attack(
                case.model, [case.text], name, max_distance=case.k, threat=case.threat, target=case.target
            )[0]
        except InputError:
            self.tally.refused[said_by] += 1
            return
        except Exception as error:
            self._say(said_by, "crash", f"crashed: {type(error).__name__}: {error}")
            return
        self.tally.verdicts[said_by] += 1
        if found.success:
            self._counterexample(said_by, found.adversarial, found.distance)

    def _smoothing(self) -> None:
        """Compare with the smoothed classifier itself, whose shares are computed over all deletions."""
        case, text = self.case, self.case.text
        if len(text) > SMOOTHED_LENGTH:
            return
        try:
            row = levcert.certify(case.model, [text], SMOOTHING, threat=case.threat)[0]
        except Exception as error:
            self._say("smoothing", "crash", f"crashed: {type(error).__name__}: {error}")
            return
        self.tally.verdicts["smoothing"] += 1
        self.tally.decided["smoothing"] += row.radius >= 1
        if row.counterexample is not None:
            self._say("smoothing", "counterexample", "gives a counterexample, which it cannot have checked")
        label = case.model.labels.index(row.label)
        for found, distance in _near(text, min(row.radius, SMOOTHED_DISTANCE), self.rules).items():
            share = smoothed_share(self.scorer, found, label, SMOOTHING.deletion)
            if not share > 0.5:
                self._say(
                    "smoothing",
                    "radius",
                    f"claims radius {row.radius}, but {found!r} at {distance} has a share of {share}",
                )
                return


def _near(text: Any, k: int, rules: Rules) -> dict[Any, int]:
    return ball(text, k, rules) if k >= 0 else {}


def _listed(kinds: Counter[str] | None) -> str:
    return ", ".join(f"{count} {kind}" for kind, count in kinds.items()) if kinds else "0"


def _described(model: Any) -> str:
    """Write a small model out, so that a finding can be repeated by hand."""
    alphabet = model.alphabet.to_dict()
    alphabet |= {"fold": alphabet["fold"]["name"]} if "fold" in alphabet else {}
    kept = {key: alphabet[key] for key in ("symbols", "folding", "fold", "unknown") if key in alphabet} or alphabet
    if hasattr(model, "votes"):
        used = [
            f"{order}-gram row {row}: {model.votes[o, row].tolist()}"
            for o, order in enumerate(model.orders)
            for row in range(model.votes.shape[1])
            if model.votes[o, row].any()
        ]
        shown = "; ".join(used[:40]) + (" …" if len(used) > 40 else "")
        return f"votes {kept} orders {model.orders} [{shown}]"
    parts = {"embedding": model.embedding.tolist(), "kernels": [kernel.tolist() for kernel in model.kernels]}
    return f"conv {kept} {model.activation.name} {parts} head {model.head.tolist()}"
