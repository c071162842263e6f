"""No certificate at all: the label of the text as it is, for texts that are only attacked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from levcert.certifiers.base import ClassifierMethod, Verdict
from levcert.models.any_classifier import Classifier
from levcert.text.alphabet import Text
from levcert.text.threat import Threat


@dataclass(frozen=True)
class NoProof(ClassifierMethod):
    """Radius 0 for every text."""

    name: ClassVar[str] = "none"
    needs: ClassVar[str] = "any classifier"

    def threat(self, threat: Threat) -> Threat:
        return threat

    def verdict(
        self, classifier: Classifier, text: Text, threat: Threat, target: str | None = None
    ) -> tuple[str, Verdict]:
        label, margin = classifier.answer(text)
        return label.name, Verdict(0, "proved", margin)
