"""Charmer (Abad Rocamora et al. 2024): find where a space hurts most, then which symbol hurts most there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from levcert.attacks.base import Attack
from levcert.attacks.victim import Candidates, Integers, Victim
from levcert.text.alphabet import Text
from levcert.text.edits import Operation


@dataclass(frozen=True)
class Charmer(Attack):
    """Greedy, one edit at a time, over the 2m + 1 slots (gap, character, gap, …) of the text.

    1. Put a space into every slot (where it holds a space: delete it) and keep the ``slots`` with the largest
       loss max_{ŷ≠y} f_ŷ − f_y.  2. Try every symbol and the deletion in those.  3. Keep the best edit.
    With all slots, one round finds the worst single edit there is.

    Examples:
        >>> model = levcert.load("toy.safetensors")
        >>> levcert.attack(model, ["hello"], levcert.Charmer(slots=10), max_distance=5)[0].success
        True
    """

    name: ClassVar[str] = "charmer"

    slots: int = 20

    def proposals(self, victim: Victim, text: Text, label: int, max_distance: int) -> Iterator[Text]:
        for _ in range(max_distance):
            candidates = victim.candidates(text, *self._worst_slots(victim, text, label))
            if not len(candidates):
                return
            loss = victim.losses(victim.edited_scores(text, candidates), label)
            text = victim.edit(text, candidates, int(loss.argmax()))
            yield text

    def _worst_slots(self, victim: Victim, text: Text, label: int) -> tuple[Integers, Integers]:
        """Return the gaps and the characters where the test edit costs most."""
        tests = _test_edits(victim, text)
        if len(tests) > self.slots:
            loss = victim.losses(victim.edited_scores(text, tests), label)
            tests = tests.take(np.argsort(-loss, kind="stable")[: self.slots])
        gap = tests.operation == Operation.INSERT
        return tests.position[gap], tests.position[~gap]


def _test_edits(victim: Victim, text: Text) -> Candidates:
    """Return one edit per slot that the threat allows: a space, or where there is none to use, another edit."""
    allowed = victim.allowed
    space = next((number for number, symbol in enumerate(victim.symbols) if symbol in (" ", b" ")), -1)
    parts = []
    if allowed.insert.any():
        symbol = space if space >= 0 and allowed.insert[space] else int(np.argmax(allowed.insert))
        gaps = np.arange(len(text) + 1)
        parts.append(Candidates.of(Operation.INSERT, gaps, np.full(len(gaps), symbol)))
    places = np.arange(len(text))
    replaceable = victim.replaceable(text)
    by_space = replaceable[:, space] if space >= 0 else np.zeros(len(text), dtype=bool)
    by_other = ~by_space & replaceable.any(axis=1)
    gone = ~by_space & victim.deletable(text)  # a space is deleted, and so is what no space may replace
    parts.append(Candidates.of(Operation.DELETE, places[gone], np.full(gone.sum(), -1)))
    by_other &= ~gone
    symbols = np.where(by_space, space, replaceable.argmax(axis=1) if replaceable.size else 0)
    chosen = by_space | by_other
    parts.append(Candidates.of(Operation.SUBSTITUTE, places[chosen], symbols[chosen]))
    return Candidates.join(parts)
