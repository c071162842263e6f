"""How one text is measured: certified, and attacked where that can tell more."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sized
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import zip_longest
from typing import Any, Final

from levcert.attacks import attack_each
from levcert.attacks.base import Attack
from levcert.certificates.certificate import Certificate
from levcert.certificates.claims import IS_TARGET, holds_for_every_edit, is_about_the_model
from levcert.certifiers import certify_each
from levcert.certifiers.base import Method
from levcert.errors import InputError
from levcert.evaluation.outcome import Outcome
from levcert.models.known_classifiers import as_classifier, names_of
from levcert.models.window import WindowModel
from levcert.text.alphabet import Text
from levcert.text.threat import ANY_EDIT, Threat, known_substitutions

FARTHEST: Final = 10  # edits that an attack makes if no distance is given
_AT_ONCE: Final = 8  # texts that are certified together; few, so that a progress bar moves


@dataclass(frozen=True)
class Measured:
    """One text: its certificate, with the nearest counterexample that anyone found, and what follows from it."""

    certificate: Certificate
    outcome: Outcome
    attack_seconds: float = 0.0


@dataclass(frozen=True)
class Evaluator:
    """A model, and how it is measured."""

    model: Any  # one of ours, or what as_classifier takes
    method: str | Method = "auto"
    attack: str | Attack | None = "charmer"
    max_distance: int | None = 2
    budget: float | None = None
    threat: Threat | None = None
    target: str | None = None  # the label that the attacker wants; None: any other label

    def __post_init__(self) -> None:
        if not isinstance(self.model, WindowModel):
            classifier = as_classifier(self.model)
            object.__setattr__(self, "model", classifier)
            needs_scores = self.attack is not None and name_of(self.attack) != "random"
            if needs_scores and not classifier.gives_scores("a"):
                object.__setattr__(self, "attack", "random")  # the only one that needs nothing but labels
        # Certifying no texts rejects bad options before the work begins.
        deque(self._certificates(()), maxlen=0)
        if self.attack is not None:
            deque(attack_each(self.model, (), self.attack, target=self.target), maxlen=0)

    @cached_property
    def attacker(self) -> Threat:
        """The threat to measure against: the one given, or the largest that the method is proved for."""
        if self.threat is not None:
            return self.threat
        return known_substitutions(self.model.alphabet) if name_of(self.method) == "lipslev" else ANY_EDIT

    @property
    def reach(self) -> int:
        """How many edits an attack makes at most."""
        return FARTHEST if self.max_distance is None else self.max_distance

    def measured(self, rows: Iterable[tuple[Text, str]]) -> Iterator[Measured]:
        """Certify and attack texts, each with its true label, in constant memory."""
        waiting: deque[str] = deque()

        def texts() -> Iterator[Text]:
            for number, (text, truth) in enumerate(rows, 1):
                check_label(self.model, truth, number)
                waiting.append(truth)
                yield text

        for certificate in self._certificates(texts()):
            yield self._attacked(certificate, waiting.popleft())

    def _certificates(self, texts: Iterable[Text]) -> Iterator[Certificate]:
        return certify_each(
            self.model, texts, self.method, max_distance=self.max_distance, budget=self.budget, threat=self.attacker,
            target=self.target, batch_size=_AT_ONCE,
        )  # fmt: skip

    def _attacked(self, certificate: Certificate, truth: str) -> Measured:
        """Attack a text that is right; whatever changes a wrong label, no accuracy changes."""
        outcome = Outcome.of(certificate, truth)
        if self.attack is None or not outcome.right:
            return Measured(certificate, outcome)
        found, seconds = _nearer_counterexample(self.model, certificate, self.reach, self.attack)
        if found is None:
            return Measured(certificate, outcome, seconds)
        certificate = _with(certificate, *found)
        return Measured(certificate, Outcome.of(certificate, truth, found[1]), seconds)


def with_attack(model: Any, certificate: Certificate, reach: int, attack: str = "charmer") -> Certificate:
    """Return a certificate with the nearest counterexample that an attack of at most ``reach`` edits finds."""
    found, _ = _nearer_counterexample(model, certificate, reach, attack)
    return certificate if found is None else _with(certificate, *found)


def _with(certificate: Certificate, counterexample: Text, distance: int) -> Certificate:
    """Add a counterexample; one within a proved radius is a defect, which the certificate itself refuses."""
    if distance <= certificate.radius and not holds_for_every_edit(certificate.claim):
        return certificate  # what is proved for substitutions only may fall to other edits
    return replace(certificate, upper=distance, counterexample=counterexample)


def _nearer_counterexample(
    model: Any, certificate: Certificate, reach: int, attack: str | Attack
) -> tuple[tuple[Text, int] | None, float]:
    """Return a counterexample nearer than the certificate's own, its distance, and the seconds that the attack took.

    The attack is held to the certificate's own threat.  A certificate about another classifier than the model (a
    smoothed one) gets none: what fools the model says nothing about it.  Where nothing can be found, nobody looks.
    """
    nearest = reach if certificate.upper is None else min(reach, certificate.upper - 1)
    safe = certificate.radius if holds_for_every_edit(certificate.claim) else 0
    if not is_about_the_model(certificate.claim) or certificate.threat is None or nearest <= safe:
        return None, 0.0
    if certificate.claim == IS_TARGET:
        return None, 0.0
    [result] = attack_each(
        model, [certificate.text], attack, max_distance=nearest, threat=certificate.threat, target=certificate.target
    )
    if result.adversarial is None or result.distance is None:
        return None, result.seconds
    return (result.adversarial, result.distance), result.seconds


def labelled(model: Any, texts: Iterable[Text], truth: Iterable[str]) -> Iterator[tuple[Text, str]]:
    """Return texts with their true labels; what can be seen at once to be wrong is refused at once."""
    if isinstance(texts, str | bytes):
        raise InputError("Expected a list of texts, got a single text; write [text].")
    if isinstance(texts, Sized) and isinstance(truth, Sized):
        if len(texts) != len(truth):
            raise InputError(f"There are {len(truth)} true labels for {len(texts)} texts; give one for each.")
        for number, label in enumerate(truth, 1):
            check_label(model, label, number)
    return _pairs(texts, truth)


def _pairs(texts: Iterable[Text], truth: Iterable[str]) -> Iterator[tuple[Text, str]]:
    for text, label in zip_longest(texts, truth):
        if text is None or label is None:
            raise InputError("There are not as many true labels as texts; give one for each.")
        yield text, label


def check_label(model: Any, label: str, number: int, file: str | None = None) -> None:
    """Refuse a label that the model does not know: it would count as the model's error."""
    names = names_of(model)
    if names is not None and label not in names:
        known = ", ".join(map(repr, names))
        where = f"Row {number}" if file is None else f"Row {number} of {file}"
        raise InputError(
            f"{where} has the label {label!r}, but the model only knows {known}; choose another column of labels, "
            "or train a model on these."
        )


def name_of(method: Any) -> str:
    """Return the name of a certifier or an attack that is given by its name or as an instance."""
    return method.replace("_", "-") if isinstance(method, str) else str(method.name)
