"""What an attack is and what it returns."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from levcert.attacks.victim import Victim
from levcert.text.alphabet import Text
from levcert.text.edits import Edit


@dataclass(frozen=True)
class AttackResult:
    """A text, and the nearest other text with another label that was found, if any.

    Finding none proves nothing.  What is found has been checked with the classifier itself: it gives ``new_label``.
    ``edits`` are those of the text as the model sees it, and ``distance`` is their number: the Levenshtein distance,
    unless the threat is restricted.

    Examples:
        >>> model = levcert.load("toy.safetensors")
        >>> print(levcert.attack(model, ["1a"], "greedy")[0])
        'letters' → 'digits' by substitute '6' for character 2 (greedy)
    """

    text: Text
    label: str
    adversarial: Text | None
    new_label: str | None
    distance: int | None
    edits: tuple[Edit, ...]
    method: str
    seconds: float = 0.0

    @property
    def success(self) -> bool:
        return self.adversarial is not None

    def __str__(self) -> str:
        if self.adversarial is None:
            return f"{self.label!r}: nothing found ({self.method}), which proves nothing"
        return f"{self.label!r} → {self.new_label!r} by {'; '.join(map(str, self.edits))} ({self.method})"


class Attack(ABC):
    """A way to search; it proposes texts in order of effort, and the caller checks them."""

    name: ClassVar[str]

    @abstractmethod
    def proposals(self, victim: Victim, text: Text, label: int, max_distance: int) -> Iterator[Text]:
        """Give candidate texts, nearer ones first; the search ends at the first one whose label is lost."""
