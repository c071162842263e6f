"""RS-Del (Huang et al. 2023): the majority vote over texts with randomly deleted characters, for any classifier."""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from dataclasses import dataclass
from decimal import Decimal, localcontext
from itertools import compress
from typing import ClassVar

import numpy as np

from levcert.certificates.claims import IS_TARGET
from levcert.certifiers.base import ClassifierMethod, Verdict
from levcert.errors import InputError
from levcert.models.any_classifier import Classifier, Label
from levcert.text.alphabet import Text, hashable_bytes
from levcert.text.edits import Operation
from levcert.text.threat import Threat

ABSTAIN = -1


@dataclass(frozen=True)
class DeletionSmoothing(ClassifierMethod):
    """Certify the smoothed classifier, not the classifier itself, with probability at least 1 − α.

    ``prediction_samples`` choose the label; ``bound_samples``, drawn afresh, give the lower confidence bound μ of
    its probability.  (The paper takes the raw vote share of the first: that is not a certificate.)  The base
    classifier should have been trained on deleted texts: ``levcert train --deletion 0.9``.

    Examples:
        >>> def classify(texts):
        ...     return ["long" if len(text) > 2 else "short" for text in texts]
        >>> method = levcert.DeletionSmoothing(deletion=0.5, prediction_samples=50, bound_samples=100)
        >>> levcert.certify(classify, ["a long text"], method)[0].claim
        'probability ≥ 0.95'
    """

    name: ClassVar[str] = "smoothing"
    needs: ClassVar[str] = "any classifier"

    deletion: float = 0.9
    prediction_samples: int = 1000
    bound_samples: int = 4000
    alpha: float = 0.05
    seed: int = 1

    def __post_init__(self) -> None:
        if not (0 < self.deletion < 1 and 0 < self.alpha < 1):
            raise InputError("deletion and alpha must lie strictly between 0 and 1.")
        if min(self.prediction_samples, self.bound_samples) < 1:
            raise InputError("Smoothing needs at least one sample for the label and one for the bound.")

    @property
    def claim(self) -> str:
        """The probability in full: rounded to a few digits, 1 − 10⁻⁹ would be certainty."""
        with localcontext(prec=400):
            return f"probability ≥ {1 - Decimal(repr(self.alpha)):f}"

    def threat(self, threat: Threat) -> Threat:
        """Return the threat that is certified: the formulas know operations, so symbols and neighbours do not count."""
        return Threat(threat.operations)

    def verdict(
        self, classifier: Classifier, text: Text, threat: Threat, target: str | None = None
    ) -> tuple[str, Verdict]:
        """Return the label of the majority and its certificate.

        The samples depend on the seed and the text alone, not on the batch.  A label that cannot change cannot become
        the target: with a target, the radius is the same.
        """
        rng = self._generator(text)
        label = self._majority(classifier, text, rng)
        agreeing = classifier.labels(self._deleted(text, self.bound_samples, rng)).count(label)
        mu = lower_confidence_bound(agreeing, self.bound_samples, self.alpha)
        radius = certified_radius(mu, self.deletion, threat)
        base = classifier.labels([text])[0].name
        if label.name == target and radius != ABSTAIN:
            return label.name, Verdict(0, IS_TARGET, mu - 0.5, base_label=base)
        return label.name, Verdict(radius, self.claim, mu - 0.5, base_label=base)

    def label(self, classifier: Classifier, text: Text) -> Label:
        """Return the smoothed classifier's label, as :meth:`verdict` does."""
        return self._majority(classifier, text, self._generator(text))

    def _generator(self, text: Text) -> np.random.Generator:
        return np.random.default_rng([self.seed, *hashlib.sha256(hashable_bytes(text)).digest()])

    def _majority(self, classifier: Classifier, text: Text, rng: np.random.Generator) -> Label:
        votes = Counter(classifier.labels(self._deleted(text, self.prediction_samples, rng)))
        return min(votes, key=lambda label: (-votes[label], label.name))

    def _deleted(self, text: Text, count: int, rng: np.random.Generator) -> list[Text]:
        """Return copies of the text in which each character was deleted with the given probability."""
        kept = rng.random((count, len(text))) >= self.deletion
        if isinstance(text, bytes):
            return [bytes(compress(text, row)) for row in kept]
        return ["".join(compress(text, row)) for row in kept]


def lower_confidence_bound(votes: int, samples: int, alpha: float) -> float:
    """μ = BetaInv(α; v, n − v + 1): the one-sided Clopper–Pearson bound of a probability."""
    from scipy.special import betaincinv

    return float(betaincinv(votes, samples - votes + 1, alpha)) if votes else 0.0


def certified_radius(mu: float, deletion: float, threat: Threat) -> int:
    """Return the radius for a label whose probability is at least μ, or −1 to abstain.

    Levenshtein: ⌊ln(1.5 − μ)/ln p⌋; insertions only: ⌊ln(0.5/μ)/ln p⌋; deletions only: ⌊ln((1 − μ)/0.5)/ln p⌋.
    """
    if not mu > 0.5:
        return ABSTAIN
    mu = min(mu, 1 - 1e-12)  # no sample proves certainty
    if threat.operations == {Operation.INSERT}:
        argument = 0.5 / mu
    elif threat.operations == {Operation.DELETE}:
        argument = (1 - mu) / 0.5
    else:
        argument = 1.5 - mu
    return max(ABSTAIN, math.floor(math.log(argument) / math.log(deletion)))
