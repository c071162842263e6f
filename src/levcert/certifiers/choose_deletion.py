"""The deletion rate for smoothing that keeps the accuracy of a classifier on a few texts with known labels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from levcert.certifiers.deletion_smoothing_huang_2023 import DeletionSmoothing
from levcert.errors import InputError
from levcert.models.known_classifiers import as_classifier
from levcert.text.alphabet import Text


@dataclass(frozen=True)
class DeletionChoice:
    """``rate`` is the largest deletion rate whose smoothed accuracy is good enough; None if there is none."""

    rate: float | None
    accuracy: float  # of the classifier itself
    smoothed: dict[float, float]  # accuracy of the smoothed classifier for each rate that was tried

    def __str__(self) -> str:
        tried = ", ".join(f"{rate:g}: {accuracy:.1%}" for rate, accuracy in self.smoothed.items())
        chosen = "no rate keeps it" if self.rate is None else f"the largest rate that keeps it is {self.rate:g}"
        return f"The classifier is right on {self.accuracy:.1%}; {chosen} ({tried})."


def choose_deletion(
    model: Any,
    texts: Sequence[Text],
    labels: Sequence[str],
    *,
    rates: Sequence[float] = (0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9),
    tolerance: float = 0.02,
    samples: int = 100,
    seed: int = 1,
) -> DeletionChoice:
    """Return the largest deletion rate that costs at most ``tolerance`` of the accuracy on texts with known labels.

    Larger rates give larger radii, but a classifier that was not trained on such texts cannot read them.  Use texts
    that are not among those to certify: a rate chosen on the same texts flatters it.

    Examples:
        >>> def classify(texts):
        ...     return ["long" if len(text) > 10 else "short" for text in texts]
        >>> texts, labels = ["word " * 20, "hi"], ["long", "short"]
        >>> levcert.choose_deletion(classify, texts, labels, rates=(0.1, 0.3), samples=20).rate
        0.3
    """
    if not len(texts) or len(texts) != len(labels):
        raise InputError(f"Give one label for each text, at least one; there are {len(texts)} and {len(labels)}.")
    classifier = as_classifier(model)
    truth = [str(label) for label in labels]
    base = [label.name for label in classifier.labels(texts)]
    accuracy = sum(map(str.__eq__, base, truth)) / len(texts)
    smoothed: dict[float, float] = {}
    for rate in sorted(rates):
        smoothing = DeletionSmoothing(rate, samples, 1, seed=seed)
        voted = [smoothing.label(classifier, text).name for text in texts]
        smoothed[rate] = sum(map(str.__eq__, voted, truth)) / len(texts)
    kept = [rate for rate, share in smoothed.items() if share >= accuracy - tolerance]
    return DeletionChoice(max(kept, default=None), accuracy, smoothed)
