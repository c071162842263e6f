"""Brute force: every text of the ball, with any classifier.  Slow and obvious on purpose."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from itertools import islice
from typing import ClassVar

from levcert.certificates.claims import IS_TARGET
from levcert.certifiers.base import ClassifierMethod, Verdict
from levcert.certifiers.renamed_options import renamed_option
from levcert.errors import InputError
from levcert.models.any_classifier import Classifier, OutOfCallsError
from levcert.text.alphabet import Alphabet, Text
from levcert.text.ball import Ball
from levcert.text.edits import Operation
from levcert.text.model_view import native
from levcert.text.threat import Threat


@renamed_option(distance="max_distance")
@dataclass(frozen=True)
class BruteForce(ClassifierMethod):
    """Classify every text within 1, 2, … ``max_distance`` edits; the first with another label is a counterexample.

    ``alphabet`` is what edits bring in, and then the certificate's threat says so.  Without it, edits bring in every
    character that can make a difference: for one of our models, each of its symbols and a character that it drops; for
    texts of bytes, all bytes.  Any other classifier of characters must be told what an attacker may type: there are a
    million characters, and each may matter.

    Examples:
        >>> model = levcert.load("toy.safetensors")
        >>> levcert.certify(model, ["1a"], levcert.BruteForce(max_distance=1))[0].claim
        'exact'
    """

    name: ClassVar[str] = "brute-force"
    needs: ClassVar[str] = "any classifier"

    max_distance: int | None = None  # None: one edit; the number of texts grows a hundredfold with each further one
    alphabet: Alphabet | Text | None = None
    max_calls: int | None = None  # texts to classify for each text; then what is not decided stays so
    budget: float | None = None  # the same in seconds

    @property
    def farthest(self) -> int:
        """The largest distance that is searched."""
        return 1 if self.max_distance is None else self.max_distance

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
        if threat.neighbours is not None or threat.deletable is not None:
            raise InputError(
                "brute-force can restrict operations and symbols, but not neighbours or deletions; use exact."
            )
        deadline = None if self.budget is None else time.perf_counter() + self.budget
        before, at_once = classifier.calls, classifier.batch_size
        label, margin = classifier.answer(text)
        if label.name == target:
            return label.name, Verdict(0, IS_TARGET, margin)
        brought = _characters(classifier, text, threat)
        for distance in range(1, self.farthest + 1):
            candidates = iter(Ball(text, distance, brought, threat.operations))  # type: ignore[type-var]
            while True:
                if self.max_calls is not None:  # two more: the text itself, and what is found
                    at_once = min(classifier.batch_size, self.max_calls - (classifier.calls - before) - 2)
                batch = list(islice(candidates, max(at_once, 1)))
                spent = at_once < 1 or (deadline is not None and time.perf_counter() > deadline)
                if not batch or spent:
                    break
                try:
                    found = classifier.first_other(batch, text, label, target)
                except OutOfCallsError:
                    spent = True
                    break
                if found is not None:
                    calls = classifier.calls - before
                    return label.name, Verdict(distance - 1, "proved", margin, distance, found, calls=calls)
            if spent and batch:
                return label.name, Verdict(distance - 1, "proved", margin, calls=classifier.calls - before)
        return label.name, Verdict(self.farthest, "proved", margin, calls=classifier.calls - before)


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
