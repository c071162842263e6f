"""Greedy and beam search: the best of all single edits, again and again."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from levcert.attacks.base import Attack
from levcert.attacks.victim import Victim
from levcert.text.alphabet import Text


@dataclass(frozen=True)
class Beam(Attack):
    """Keep the ``width`` most damaged texts after each edit.

    Examples:
        >>> model = levcert.load("toy.safetensors")
        >>> levcert.attack(model, ["hello"], levcert.Beam(width=4), max_distance=5)[0].success
        True
    """

    name: ClassVar[str] = "beam"

    width: int = 8

    def proposals(self, victim: Victim, text: Text, label: int, max_distance: int) -> Iterator[Text]:
        kept = [text]
        for _ in range(max_distance):
            found: dict[Text, float] = {}
            for center in kept:
                candidates, scores = victim.every_edit(center)
                if not len(candidates):
                    continue
                loss = victim.losses(scores, label)
                # More than `width`, because different edits may lead to the same text.
                for row in np.argsort(-loss, kind="stable")[: 4 * self.width]:
                    found.setdefault(victim.edit(center, candidates, int(row)), float(loss[row]))
            kept = sorted(found, key=lambda candidate: -found[candidate])[: self.width]
            yield from kept


@dataclass(frozen=True)
class Greedy(Beam):
    """Take the single edit that damages most, and go on from there.

    Examples:
        >>> model = levcert.load("toy.safetensors")
        >>> levcert.attack(model, ["hello"], levcert.Greedy(), max_distance=5)[0].success
        True
    """

    name: ClassVar[str] = "greedy"

    width: int = 1
