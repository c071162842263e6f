"""The exact search used backwards: its counterexamples are the strongest attack we have."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, Literal

from levcert.attacks.base import Attack
from levcert.attacks.victim import Victim, WindowVictim
from levcert.certifiers.base import Batch
from levcert.certifiers.exact import Exact
from levcert.errors import InputError
from levcert.text.alphabet import Text
from levcert.text.model_view import spelled


@dataclass(frozen=True)
class Search(Attack):
    """For one and two edits it finds a counterexample whenever there is one; for more, the best far edits.

    On bounded votes it finds the nearest one for any number of edits.

    Examples:
        >>> model = levcert.load("toy.safetensors")
        >>> levcert.attack(model, ["1a"], levcert.Search(), max_distance=2)[0].distance
        1
    """

    name: ClassVar[str] = "search"

    nodes: int | Literal["default"] | None = "default"  # budget of the search for longer scripts
    evaluations: int | None = 20_000  # budget of the search for pairs

    def proposals(self, victim: Victim, text: Text, label: int, max_distance: int) -> Iterator[Text]:
        if not isinstance(victim, WindowVictim):
            raise InputError("The attack search needs a levcert model; use charmer or beam for other classifiers.")
        exact = Exact(
            max_distance=max_distance,
            farthest=max(max_distance, 2),
            nodes=self.nodes,
            evaluations=self.evaluations,
        )
        verdict = exact.verdicts(Batch(victim.model, [text], victim.threat, victim.target))[0]
        if verdict.counterexample is not None:
            yield spelled(victim.model.alphabet, verdict.counterexample)
