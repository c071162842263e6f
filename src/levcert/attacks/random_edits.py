"""Random texts within the distance: the weakest attack, and a check on all the others."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from levcert.attacks.base import Attack
from levcert.attacks.victim import Victim
from levcert.text.alphabet import Text, hashable_bytes


@dataclass(frozen=True)
class RandomEdits(Attack):
    """Try ``samples`` random sequences of edits at each distance 1, 2, … .

    Examples:
        >>> model = levcert.load("toy.safetensors")
        >>> levcert.attack(model, ["1a"], levcert.RandomEdits(samples=200), max_distance=2)[0].success
        True
    """

    name: ClassVar[str] = "random"

    samples: int = 100
    seed: int = 1

    def proposals(self, victim: Victim, text: Text, label: int, max_distance: int) -> Iterator[Text]:
        raw = hashable_bytes(text)
        rng = random.Random(f"{self.seed} {hashlib.sha256(raw).hexdigest()}")
        for distance in range(1, max_distance + 1):
            for _ in range(self.samples):
                candidate = text
                for _ in range(distance):
                    candidate = _random_edit(victim, candidate, rng)
                yield candidate


def _random_edit(victim: Victim, text: Text, rng: random.Random) -> Text:
    """Make one random edit: a slot first, then what the threat allows there."""
    slot = rng.randrange(2 * len(text) + 1)
    where, none = np.array([slot // 2]), np.array([], dtype=np.int64)
    candidates = victim.candidates(text, *((none, where) if slot % 2 else (where, none)))
    return victim.edit(text, candidates, rng.randrange(len(candidates))) if len(candidates) else text
