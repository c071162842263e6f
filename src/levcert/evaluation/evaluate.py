"""How good a model is on labelled texts: clean, verified and attacked accuracy, of all texts and of each class."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from levcert.attacks.base import Attack
from levcert.certificates.claims import IS_TARGET, Unit, holds_for_every_edit, is_about_the_model
from levcert.certificates.share import Share
from levcert.certifiers.base import Method
from levcert.evaluation.evaluator import Evaluator, Measured, labelled, name_of
from levcert.evaluation.outcome import Tally
from levcert.models.known_classifiers import fold_of, names_of, unit_of
from levcert.text.alphabet import Text
from levcert.text.threat import Threat


def evaluate(
    model: Any,
    texts: Iterable[Text],
    truth: Iterable[str],
    *,
    method: str | Method = "auto",
    attack: str | Attack | None = "charmer",
    max_distance: int | None = 2,
    budget: float | None = None,
    threat: Threat | None = None,
    target: str | None = None,
) -> Evaluation:
    """Certify and attack texts with known labels, and count how many stay right.

    ``model`` is anything that :func:`certify` takes.  A function that gives labels and no scores is attacked at random.
    ``max_distance`` is the largest number of edits to look at; None: certify as far as the method can, and attack with
    up to 10 edits.  ``attack`` is None for no attack.  ``threat`` restricts what the attacker may do; without it, any
    edit is allowed (with the method lipslev, the substitutions that it is proved for).

    With a ``target``, such as "ham", the attacker wants this label only.  Then the shares are those of the texts whose
    true label is another one: how many get it (recall), and how many of these no k edits make ``target``.

    Examples:
        >>> model, data = levcert.load("toy.safetensors"), levcert.load_dataset("toy")
        >>> texts, truth = data.test.texts[:20], [data.labels[y] for y in data.test.labels[:20]]
        >>> result = levcert.evaluate(model, texts, truth, max_distance=1)
        >>> print(result.verified(1))
        90.0% [68.3%, 98.8%]
    """
    evaluator = Evaluator(model, method, attack, max_distance, budget, threat, target)
    evaluation = Evaluation.by(evaluator)
    for measured in evaluator.measured(labelled(model, texts, truth)):
        evaluation.add(measured)
    return evaluation


@dataclass
class Evaluation:
    """What an evaluation counted, and the shares of texts that follow from it.

    Examples:
        >>> model = levcert.load("toy.safetensors")
        >>> result = levcert.evaluate(model, ["hello world", "12e4567"], ["letters", "digits"], max_distance=1)
        >>> print(result.clean())
        100.0% [15.8%, 100.0%]
    """

    method: str
    attack: str | None
    max_distance: int  # of the accuracies
    threat: Threat
    unit: Unit
    labels: tuple[str, ...]  # of the texts that count: all but the target
    target: str | None = None
    fold: str = "none"  # of the model: changes that it does not see come on top of the edits
    tally: Tally = field(default_factory=Tally)
    seconds: dict[str, float] = field(default_factory=lambda: {"certify": 0.0, "attack": 0.0})

    @classmethod
    def by(cls, evaluator: Evaluator) -> Evaluation:
        """Return an evaluation that has not yet counted any text."""
        model, attack = evaluator.model, None if evaluator.attack is None else name_of(evaluator.attack)
        method, threat = name_of(evaluator.method), evaluator.attacker
        labels = tuple(label for label in names_of(model) or () if label != evaluator.target)
        return cls(method, attack, evaluator.reach, threat, unit_of(model), labels, evaluator.target, fold_of(model))

    def __len__(self) -> int:
        return len(self.tally)

    @property
    def counted(self) -> int:
        """How many texts the shares are of: with a target, those whose true label is another one."""
        return len(self._of(None))

    def add(self, measured: Measured) -> None:
        """Count a text."""
        self.tally.add(measured.outcome)
        certificate = measured.certificate
        if self.method == "auto" and certificate.method == "brute-force":  # of a function
            self.method = certificate.method
        if certificate.threat is not None and not certificate.threat.unrestricted:  # brute force may allow less
            self.threat = certificate.threat
        if measured.outcome.truth not in (
            *self.labels,
            self.target,
        ):  # the names of a function's classes may not be known before
            self.labels = (*self.labels, measured.outcome.truth)
        self.seconds["certify"] += measured.certificate.seconds
        self.seconds["attack"] += measured.attack_seconds

    @property
    def claims(self) -> dict[str, int]:
        """How many certificates make which claim."""
        return self.tally.claims

    @property
    def was_attacked(self) -> bool:
        """Whether counterexamples count: those of the model say nothing about a smoothed classifier."""
        return self.attack is not None and all(map(is_about_the_model, self.claims))

    def clean(self, label: str | None = None) -> Share:
        """Return the share of texts with the right label: of all texts that count, or of those with one true label."""
        return self._of(label).clean()

    def verified(self, k: int, label: str | None = None) -> Share:
        """Return the share of texts that are right and proved to stay right under any k edits."""
        return self._of(label).verified(k)

    def attacked(self, k: int, label: str | None = None) -> Share:
        """Return the share of texts that are right and for which nobody found k edits that change the label."""
        return self._of(label).attacked(k)

    def verified_of_caught(self, k: int, label: str | None = None) -> Share:
        """Return the share of the texts with the right label for which k edits are proved not to suffice."""
        return self._of(label).verified_of_right(k)

    def _of(self, label: str | None) -> Tally:
        if label is not None:
            return self.tally.with_truth(label)
        return self.tally if self.target is None else self.tally.without_truth(self.target)

    def shares(self, label: str | None = None) -> dict[str, Share]:
        """Return each accuracy by its name: of all texts, or of those with one true label."""
        clean, recall = ("clean", "") if self.target is None else ("recall", " recall")
        shares = {clean: self.clean(label)}
        distances = range(1, self.max_distance + 1)
        weaker = [claim for claim in self.claims if not holds_for_every_edit(claim) and claim != IS_TARGET]
        verified = f"verified{recall}" + (f" ({', '.join(weaker)})" if weaker else "")
        shares |= {f"{verified} k={k}": self.verified(k, label) for k in distances}
        if self.was_attacked:
            shares |= {f"attacked{recall} k={k}": self.attacked(k, label) for k in distances}
        return shares

    @property
    def attacker(self) -> str:
        """Which edits are counted, of what, and which come on top for free."""
        fold = "" if self.fold in ("none", "case") else f", on top of the fold {self.fold}"
        return f"{self.threat} ({self.unit}){fold}"

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as JSON can hold it."""
        return {
            "rows": len(self),
            "target": self.target,
            "method": self.method,
            "attack": self.attack,
            "threat": self.threat.to_dict(),
            "unit": self.unit,
            "fold": self.fold,
            "claims": self.claims,
            "seconds": self.seconds,
            "all": {name: share.to_dict() for name, share in self.shares().items()},
            "classes": {
                label: {name: share.to_dict() for name, share in self.shares(label).items()} for label in self.labels
            },
        }

    def __str__(self) -> str:
        """Say each accuracy of all texts, with its interval."""
        shares = ", ".join(f"{name}: {share}" for name, share in self.shares().items())
        wanted = "" if self.target is None else f", target {self.target!r}"
        return f"{self.counted:,} texts, against {self.attacker}{wanted}: {shares}"
