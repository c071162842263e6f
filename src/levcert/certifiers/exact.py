"""The exact radius, or an interval: single edits evaluated, pairs and longer scripts searched, bounds on top."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import ClassVar, Literal

import numpy as np

from levcert.certifiers.base import Array, Batch, Certifier, Verdict, radii
from levcert.certifiers.lipschitz import edit_costs, knows_its_costs
from levcert.certifiers.renamed_options import renamed_option
from levcert.certifiers.search.budget import Budget, OutOfBudgetError
from levcert.certifiers.search.edit_pairs import PairSearch
from levcert.certifiers.search.edit_scripts import ScriptSearch
from levcert.certifiers.search.refine import LONGEST_SEARCHED, Refine
from levcert.certifiers.search.single_edits import worst_single_edit
from levcert.models.votes import VoteModel
from levcert.text.alphabet import Text

_NODES = 20


@renamed_option(distance="max_distance", enough="max_distance")
@dataclass(frozen=True)
class Exact(Certifier):
    """If one or two edits change the label, radius 0 or 1 and those edits; otherwise at least K + ⌈m_K/G⌉ − 1.

    m_K is the worst margin after any K edits (K = 2, or 1 where the search for pairs is too long or the model gives
    no costs of replacements), and G what each further edit can take from it.  The nearest counterexample that edits
    far from each other give is the upper end of the interval; where both ends meet, the radius is exact.  Bounded
    votes go another way: their radius is found for any number of edits (search/refine.py).

    Examples:
        >>> model = levcert.load("toy.safetensors")
        >>> levcert.certify(model, ["hello world"], levcert.Exact(), max_distance=3)[0].claim
        'exact'
    """

    name: ClassVar[str] = "exact"
    needs: ClassVar[str] = "any window model"

    max_distance: int | None = None  # stop at this radius; None: search scripts of two edits, and bound longer ones
    farthest: int = 12  # edits that are combined to find a counterexample
    budget: float | None = None  # seconds for each text; then the best proof found so far is returned
    evaluations: int | None = 20_000  # edits that the search for pairs may expand: repeatable on every machine
    # Texts that the search for longer scripts may expand at each distance; None: any number.  By default 20 for models
    # that know the costs of replacements, and none for others, whose texts take seconds each to expand.
    nodes: int | Literal["default"] | None = "default"

    def verdicts(self, batch: Batch) -> list[Verdict]:
        if isinstance(batch.model, VoteModel):
            return self._of_votes.verdicts(batch)
        known = knows_its_costs(batch.model)
        costs = edit_costs(batch) if known else np.full_like(batch.margins, np.inf)
        one_pass = radii(batch.margins, costs, batch.allowance, batch.reach)
        return [
            _Interval(self, batch, index, costs[index], int(radius)).closed() for index, radius in enumerate(one_pass)
        ]

    @property
    def searched(self) -> int:
        """The length of the longest scripts that are searched."""
        return 2 if self.max_distance is None else self.max_distance

    @property
    def enough(self) -> float:
        """A radius beyond which no search is worth its time."""
        return math.inf if self.max_distance is None else self.max_distance

    @property
    def _of_votes(self) -> Refine:
        """Bounded votes have a search of their own, for any number of edits."""
        expansions = None if self.evaluations is None else Refine.expansions
        return Refine(max_distance=self.max_distance, expansions=expansions, budget=self.budget)


@dataclass
class _Interval:
    """What is known about one text: ``radius`` edits keep the label, ``upper`` change it.  Each stage knows more."""

    options: Exact
    batch: Batch
    index: int
    costs: Array  # G for each class
    radius: int  # at first that of one pass
    upper: int | None = None
    counterexample: Text | None = None
    undecided: str | None = None  # the first limit that was met
    budget: Budget = field(init=False)
    pairs: PairSearch = field(init=False)

    def __post_init__(self) -> None:
        options = self.options
        self.budget = Budget(None, options.budget)
        self.pairs = PairSearch(self.batch, self.index, options.evaluations, options.farthest, budget=self.budget)

    def closed(self) -> Verdict:
        """Go through the stages until both ends meet or enough is proved."""
        length, budget = len(self.pairs.ids), self.options.budget
        if length > LONGEST_SEARCHED and budget is None:
            self.undecided = f"too long for the exact search ({length:,} symbols)"
        else:
            try:
                self._one_edit()
                for stage in (self._two_edits, self._far_edits, self._worst_pairs, self._longer_scripts):
                    if self.upper == self.radius + 1 or self.radius >= self.options.enough:
                        break
                    self._try(stage)
            except OutOfBudgetError as limit:
                self.undecided = str(limit)
        margin = float(self.batch.margin[self.index])
        return Verdict(self.radius, "proved", margin, self.upper, self.counterexample, self.undecided)

    def _try(self, stage: Callable[[], None]) -> None:
        """Run a stage; the next one may know more without what this one did not find out."""
        try:
            stage()
        except OutOfBudgetError as limit:
            self.undecided = self.undecided or str(limit)
            self.budget.check()

    def _one_edit(self) -> None:
        worst, counterexample = worst_single_edit(self.pairs)
        if counterexample is not None:
            self.upper, self.counterexample = 1, counterexample
        else:
            self.radius = max(self.radius, self._beyond(worst, 1))

    def _two_edits(self) -> None:
        if self.options.searched < 2 or not self._knows_replacements:
            return
        script = self.pairs.run()
        if script is not None:
            self.upper, self.counterexample = 2, self.pairs.text(script)
        else:
            self.radius = max(self.radius, self._beyond(self.pairs.worst, 2))

    def _far_edits(self) -> None:
        script = self.pairs.far_counterexample() if self.options.farthest > 2 else None
        if script is not None:
            self.upper, self.counterexample = len(script), self.pairs.text(script)

    def _worst_pairs(self) -> None:
        """Ask whether any two edits leave more than k − 2 others can take, for the next k that is open.

        Where pairs were pruned, ``worst`` is only a bound; this makes it as exact as the next edit needs.
        """
        if self.options.searched < 2 or not self._knows_replacements:
            return
        while 2 <= self.radius < self.options.enough and self.radius + 1 != self.upper:
            if not self.pairs.leave((self.radius - 1) * self.costs):
                return
            radius = self._beyond(self.pairs.worst, 2)
            if radius <= self.radius:
                return
            self.radius = radius

    def _longer_scripts(self) -> None:
        """Search for scripts, one edit more at a time, until the two ends meet or the budget is spent."""
        nodes = self.options.nodes
        if nodes == "default":
            nodes = _NODES if self._knows_replacements else 0
        while self.radius < self.options.searched and (self.upper is None or self.radius + 1 < self.upper):
            found = ScriptSearch(self.batch, self.index, self.radius + 1, self.costs, nodes, self.budget).run()
            if found is None:
                self.radius += 1
            else:
                self.upper, self.counterexample = found

    @property
    def _knows_replacements(self) -> bool:
        return self.batch.model.replacement_costs(self.pairs.label) is not None

    def _beyond(self, worst: Array, edits: int) -> int:
        """Return K + ⌈m_K/G⌉ − 1, for the worst margins after K edits; they were computed incrementally."""
        row = slice(self.index, self.index + 1)
        reach = self.batch.reach[row] - edits
        return edits + int(radii(worst[None], self.costs[None], 4 * self.batch.allowance[row], reach)[0])
