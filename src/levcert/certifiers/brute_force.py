"""Brute force: every text of the ball, with any classifier.  Slow and obvious on purpose."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import ClassVar

import numpy as np

from levcert.alphabet import Alphabet, Text
from levcert.ball import Ball
from levcert.certificate import NO_ANSWER
from levcert.certifiers.base import Verdict
from levcert.certifiers.classifier import Classifier
from levcert.errors import InputError
from levcert.spelling import apply_to_original, spelled
from levcert.threat import Threat


@dataclass(frozen=True)
class BruteForce:
    """Ask for the label of every text within 1, 2, … ``distance`` edits; the first other one is a counterexample.

    ``alphabet`` is what edits bring in: the model's own, or all bytes.  Of any other classifier of characters nothing
    is proved unless it is told what an attacker may type: there are a million characters, and each may matter.
    """

    name: ClassVar[str] = "brute-force"
    needs: ClassVar[str] = "any classifier"
    largest_distance: ClassVar[int | None] = None

    distance: int = 1
    alphabet: Alphabet | Text | None = None

    def claim(self, threat: Threat) -> str:
        return "exact"

    def verdict(self, classifier: Classifier, text: Text, threat: Threat) -> tuple[str, Verdict]:
        """Search the ball of one text; for our models, of the text as they see it."""
        if threat.neighbours is not None:
            raise InputError("brute-force knows restrictions of operations and symbols, not of neighbours; use exact.")
        label, margin = classifier.answer(text)
        if margin is not None and not margin > 0:
            return label, Verdict(NO_ANSWER, "exact", margin, 0, text)
        alphabet = next((a for a in (threat.symbols, self.alphabet, classifier.alphabet) if a is not None), None)
        if alphabet is None:
            if isinstance(text, str) and threat.operations != {"delete"}:
                raise InputError(
                    "Brute force tries every character that an attacker may type; say which with symbols=, e.g. "
                    "symbols=string.printable, or threat=Threat(symbols=…)."
                )
            alphabet = "" if isinstance(text, str) else bytes(range(256))
        center = text if classifier.alphabet is None else spelled(classifier.alphabet, text)
        for distance in range(1, self.distance + 1):
            candidates = iter(Ball(center, distance, alphabet, threat.operations))  # type: ignore[type-var]
            while batch := list(islice(candidates, classifier.batch_size)):
                changed = np.flatnonzero(~classifier.keeps(batch, label))
                if len(changed):
                    found = batch[changed[0]]
                    if classifier.alphabet is not None:
                        script = threat.script(center, found, classifier.alphabet)
                        found = apply_to_original(classifier.alphabet, text, script or [])
                    return label, Verdict(distance - 1, "exact", margin, distance, found)
        return label, Verdict(self.distance, "proved", margin)
