"""Brute force: every text of the ball, with any classifier.  Slow and obvious on purpose."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import islice
from typing import ClassVar

from levcert.certificates.claims import IS_TARGET
from levcert.certifiers.base import ClassifierMethod, Verdict
from levcert.errors import InputError
from levcert.models.any_classifier import Classifier
from levcert.text.alphabet import Alphabet, Text
from levcert.text.ball import Ball
from levcert.text.edits import Operation
from levcert.text.model_view import native
from levcert.text.threat import Threat


@dataclass(frozen=True)
class BruteForce(ClassifierMethod):
    """Classify every text within 1, 2, … ``distance`` edits; the first with another label is a counterexample.

    ``alphabet`` is what edits bring in, and then the certificate's threat says so.  Without it, edits bring in every
    character that can make a difference: for one of our models, each of its symbols and a character that it drops; for
    texts of bytes, all bytes.  Any other classifier of characters must be told what an attacker may type: there are a
    million characters, and each may matter.

    Examples:
        >>> model = levcert.load("toy.safetensors")
        >>> levcert.certify(model, ["1a"], levcert.BruteForce(distance=1))[0].claim
        'exact'
    """

    name: ClassVar[str] = "brute-force"
    needs: ClassVar[str] = "any classifier"

    distance: int = 1
    alphabet: Alphabet | Text | None = None

    def limited(self, max_distance: int | None, budget: float | None) -> BruteForce:
        return self if max_distance is None else replace(self, distance=max_distance)

    def threat(self, threat: Threat) -> Threat:
        """Return the threat that is searched: no symbols but those of the alphabet given."""
        if self.alphabet is None or threat.symbols is not None:
            return threat
        given = self.alphabet
        return replace(threat, symbols=given.decode(range(1, given.size + 1)) if isinstance(given, Alphabet) else given)

    def verdict(
        self, classifier: Classifier, text: Text, threat: Threat, target: str | None = None
    ) -> tuple[str, Verdict]:
        """Search the ball of one text."""
        if threat.neighbours is not None:
            raise InputError("brute-force can restrict operations and symbols, but not neighbours; use exact.")
        label, margin = classifier.answer(text)
        if label.name == target:
            return label.name, Verdict(0, IS_TARGET, margin)
        brought = _characters(classifier, text, threat)
        for distance in range(1, self.distance + 1):
            candidates = iter(Ball(text, distance, brought, threat.operations))  # type: ignore[type-var]
            while batch := list(islice(candidates, classifier.batch_size)):
                if (found := classifier.first_other(batch, text, label, target)) is not None:
                    return label.name, Verdict(distance - 1, "proved", margin, distance, found)
        return label.name, Verdict(self.distance, "proved", margin)


def _characters(classifier: Classifier, text: Text, threat: Threat) -> Text:
    """Return the characters to try: all that an attacker may type, or one of each kind that a model tells apart."""
    alphabet = classifier.alphabet
    if threat.symbols is not None:
        return native(alphabet, threat.symbols) if alphabet is not None else threat.symbols
    if alphabet is not None:
        known = alphabet.decode(range(1, alphabet.size + 1))
        return known + alphabet.dropped_character if isinstance(known, str) and alphabet.drops else known
    if isinstance(text, bytes):
        return bytes(range(256))
    if threat.operations == {Operation.DELETE}:
        return ""
    raise InputError(
        "Brute force tries every character that an attacker may type; name them with symbols=, e.g. "
        "symbols=string.printable, or threat=Threat(symbols=…)."
    )
