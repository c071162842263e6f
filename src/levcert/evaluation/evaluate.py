"""How good a model is on labelled texts: clean, verified and attacked accuracy, of all texts and of each class."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from levcert.attacks import attack_each
from levcert.attacks.base import AttackResult
from levcert.certificates.certificate import Certificate
from levcert.certificates.share import Share
from levcert.certifiers import certify_each
from levcert.models.window import WindowModel
from levcert.text.alphabet import Text
from levcert.text.threat import Threat


@dataclass(frozen=True)
class Outcome:
    """What became of one text; ``attacked`` is None if the model errs anyway or no attack was wanted."""

    truth: str
    certificate: Certificate
    attacked: AttackResult | None

    @property
    def right(self) -> bool:
        return self.certificate.label == self.truth

    def verified(self, k: int) -> bool:
        """The true label, and no k edits change it."""
        return self.right and self.certificate.radius >= k

    def survives(self, k: int) -> bool:
        """The true label, and the attack found no k edits that change it."""
        result = self.attacked
        return result is not None and (result.distance is None or result.distance > k)


@dataclass
class Evaluation:
    """Outcomes, and the shares of texts that they come to."""

    method: str
    attack: str | None
    max_distance: int
    threat: Threat
    outcomes: list[Outcome] = field(default_factory=list)

    def run(self, model: WindowModel, rows: Iterable[tuple[Text, str]]) -> Iterator[Outcome]:
        """Certify and attack one text after the other; what has been done so far counts at any time."""
        for text, truth in rows:
            [certificate] = certify_each(model, [text], self.method, max_distance=self.max_distance, threat=self.threat)
            attacked = None
            if self.attack and self.max_distance and model.predict([text])[0] == truth:
                [attacked] = attack_each(model, [text], self.attack, max_distance=self.max_distance, threat=self.threat)
            outcome = Outcome(truth, certificate, attacked)
            self.outcomes.append(outcome)
            yield outcome

    @property
    def claims(self) -> dict[str, int]:
        """How many certificates make which claim."""
        return dict(Counter(outcome.certificate.claim for outcome in self.outcomes))

    @property
    def seconds(self) -> dict[str, float]:
        attacks = [outcome.attacked.seconds for outcome in self.outcomes if outcome.attacked]
        return {"certify": sum(outcome.certificate.seconds for outcome in self.outcomes), "attack": sum(attacks)}

    def shares(self, label: str | None = None) -> dict[str, Share]:
        """Return each accuracy by its name, of all texts or of those with one true label."""
        chosen = [outcome for outcome in self.outcomes if label in (None, outcome.truth)]
        shares = {"clean": Share(sum(outcome.right for outcome in chosen), len(chosen))}
        weaker = sorted(self.claims.keys() - {"proved", "exact"})
        verified = f"verified ({', '.join(weaker)})" if weaker else "verified"
        for k in range(1, self.max_distance + 1):
            shares[f"{verified} k={k}"] = Share(sum(outcome.verified(k) for outcome in chosen), len(chosen))
        if self.attack:
            for k in range(1, self.max_distance + 1):
                shares[f"attacked k={k}"] = Share(sum(outcome.survives(k) for outcome in chosen), len(chosen))
        return shares

    def to_dict(self, labels: Iterable[str]) -> dict[str, Any]:
        """Return all of it as JSON can hold it."""
        return {
            "rows": len(self.outcomes),
            "method": self.method,
            "attack": self.attack,
            "threat": self.threat.to_dict(),
            "unit": self.outcomes[0].certificate.unit if self.outcomes else None,
            "claims": self.claims,
            "seconds": self.seconds,
            "all": {name: _share(share) for name, share in self.shares().items()},
            "classes": {label: {name: _share(share) for name, share in self.shares(label).items()} for label in labels},
        }


def with_attack(model: WindowModel, certificate: Certificate, reach: int) -> Certificate:
    """Return a certificate with the nearest counterexample that an attack of at most ``reach`` edits finds.

    The attack is held to the certificate's own threat.  A certificate about another classifier than the model (a
    smoothed one) gets none: what fools the model says nothing about it.
    """
    nearest = reach if certificate.upper is None else min(reach, certificate.upper - 1)
    about_model = certificate.claim in ("proved", "exact", "substitutions only")
    if not about_model or certificate.threat is None or nearest <= certificate.radius:
        return certificate
    [found] = attack_each(model, [certificate.text], "charmer", max_distance=nearest, threat=certificate.threat)
    if found.distance is None or found.distance <= certificate.radius:
        return certificate  # what is proved for substitutions only may fall to other edits
    return replace(certificate, upper=found.distance, counterexample=found.adversarial)


def _share(share: Share) -> dict[str, Any]:
    low, high = share.interval
    return {
        "hits": share.hits, "total": share.total, "value": share.value if share.total else None,
        "low": low, "high": high, "confidence": share.confidence,
    }  # fmt: skip
