"""The exact path over single edits and pairs: the nearest counterexample whose clusters have at most two edits.

Losses of edits far from each other add up, so the worst choice of single edits and of pairs of neighbours is a
longest path and no search among texts.  On bounded votes nearly every nearest counterexample is of this kind
(docs/exact-radius.md); on other window models the path is over single edits.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from levcert.attacks.base import Attack
from levcert.attacks.victim import Victim, WindowVictim
from levcert.certifiers.base import Batch
from levcert.certifiers.search.budget import OutOfBudgetError
from levcert.certifiers.search.edit_pairs import PairSearch
from levcert.certifiers.search.refine import Refine
from levcert.errors import InputError
from levcert.models.votes import VoteModel
from levcert.text.alphabet import Text
from levcert.text.model_view import spelled


@dataclass(frozen=True)
class Paths(Attack):
    """Single edits and pairs far from each other, chosen exactly.

    Examples:
        >>> model = levcert.load("toy.safetensors")
        >>> levcert.attack(model, ["1a"], levcert.Paths(), max_distance=2)[0].distance
        1
    """

    name: ClassVar[str] = "paths"

    expansions: int | None = Refine.expansions  # symbols that may be tried for pairs

    def proposals(self, victim: Victim, text: Text, label: int, max_distance: int) -> Iterator[Text]:
        if not isinstance(victim, WindowVictim):
            raise InputError("The attack paths needs a levcert model; use charmer or beam for other classifiers.")
        batch = Batch(victim.model, [text], victim.threat, victim.target)
        found: Text | None = None
        if isinstance(victim.model, VoteModel):
            found = Refine(max_distance, self.expansions).search(batch, 0).nearest_of_pairs()
        else:
            search = PairSearch(batch, 0, farthest=max(max_distance, 2))
            try:
                script = search.far_counterexample()
            except OutOfBudgetError:  # the text is too long
                return
            found = None if script is None else search.text(script)
        if found is not None:
            yield spelled(victim.model.alphabet, found)
