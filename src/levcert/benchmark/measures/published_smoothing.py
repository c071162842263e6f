"""RS-Del as the paper's code runs it, which is not a certificate; ``smoothing`` is the correct method."""

from __future__ import annotations

import hashlib
from collections import Counter
from dataclasses import dataclass

import numpy as np

from levcert.certifiers.base import Verdict
from levcert.certifiers.deletion_smoothing_huang_2023 import DeletionSmoothing, certified_radius
from levcert.models.any_classifier import Classifier
from levcert.text.alphabet import Text, hashable_bytes
from levcert.text.threat import Threat


@dataclass(frozen=True)
class PublishedSmoothing(DeletionSmoothing):
    """Takes the raw vote share of the label instead of a lower confidence bound from fresh samples."""

    @property
    def claim(self) -> str:
        return "no certificate"

    def verdict(
        self, classifier: Classifier, text: Text, threat: Threat, target: str | None = None
    ) -> tuple[str, Verdict]:
        rng = np.random.default_rng([self.seed, *hashlib.sha256(hashable_bytes(text)).digest()])
        votes = Counter(classifier.labels(self._deleted(text, self.prediction_samples, rng)))
        label = min(votes, key=lambda label: (-votes[label], label.name))
        share = votes[label] / self.prediction_samples
        # At k = 0 the paper counts every text whose majority is right, so there is no abstaining here.
        return label.name, Verdict(max(0, certified_radius(share, self.deletion, threat)), self.claim, share - 0.5)
