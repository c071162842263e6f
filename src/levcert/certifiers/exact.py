"""The exact radius, or an interval: single edits evaluated, pairs and longer scripts searched, bounds on top."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from levcert.certifiers.base import Array, Batch, Certifier, Verdict, edited_text, is_counterexample, radii
from levcert.certifiers.lipschitz import edit_costs, knows_its_costs, window_ranges
from levcert.certifiers.search.edit_chains import Chains
from levcert.certifiers.search.edit_pairs import PairSearch, UndecidedError
from levcert.certifiers.search.edit_scripts import ScriptSearch
from levcert.certifiers.search.local_losses import LocalLosses
from levcert.certifiers.search.refine import Refine
from levcert.models.tap_bounds import WindowRange
from levcert.models.votes import VoteModel
from levcert.models.window import EditEffects
from levcert.text.alphabet import Text
from levcert.text.edits import Operation

_NODES = 20
_EFFECTS_AT_ONCE = 1 << 20  # bounds the memory for long texts and large alphabets


@dataclass(frozen=True)
class Exact(Certifier):
    """If one or two edits change the label, radius 0 or 1 and those edits; otherwise at least K + ⌈m_K/G⌉ − 1.

    m_K is the worst margin after any K edits (K = 2, or 1 where the search for pairs is too long or the model gives
    no costs of replacements), and G what each further edit can take from it.  The nearest counterexample that edits
    far from each other give is the upper end of the interval; where both ends meet, the radius is exact.  Bounded votes
    go another way: their radius is found for any number of edits (search/refine.py).
    """

    name: ClassVar[str] = "exact"
    needs: ClassVar[str] = "any window model"
    largest_distance: ClassVar[int | None] = None

    distance: int = 2  # up to which scripts are searched
    enough: float = math.inf  # a radius beyond which no search is worth its time
    farthest: int = 12  # edits that are combined to find a counterexample
    budget: float | None = None  # seconds for each text; then what is proved so far must do
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
        ranges = window_ranges(batch.model)
        chains = (Chains(self._enough()), ranges) if ranges is not None and batch.model.has_quick_chains else None
        return [self._verdict(batch, index, costs, int(one_pass[index]), chains) for index in range(len(batch.texts))]

    @property
    def _of_votes(self) -> Refine:
        """Bounded votes have a search of their own, for any number of edits."""
        expansions = None if self.evaluations is None else Refine.expansions
        return Refine(distance=self._enough(), expansions=expansions, budget=self.budget)

    def _enough(self) -> int | None:
        return None if math.isinf(self.enough) else int(self.enough)

    def _verdict(
        self,
        batch: Batch,
        index: int,
        costs: Array,
        one_pass: int,
        chains: tuple[Chains, list[tuple[int, WindowRange]]] | None,
    ) -> Verdict:
        margin = float(batch.margin[index])
        deadline = None if self.budget is None else time.perf_counter() + self.budget
        if chains is not None and self.enough > 1:  # for one edit, evaluating all is exact and quicker
            one_pass = max(one_pass, chains[0].radius(batch, index, chains[1]))
            if one_pass >= self.enough:
                return Verdict(one_pass, "proved", margin)
        search = PairSearch(batch, index, self.evaluations, deadline, self.farthest)
        worst, counterexample = worst_single_edit(search, deadline)
        if counterexample is not None:
            return Verdict(0, "proved", margin, 1, counterexample)
        if worst is None:
            return Verdict(one_pass, "proved", margin)
        radius = max(one_pass, self._beyond(batch, index, costs, worst, 1))
        quick = batch.model.replacement_costs(search.label) is not None
        settled = chains is not None and radius >= 2  # beyond two edits chains say more than pairs and G
        if self.distance >= 2 and radius < self.enough and quick and not settled:
            try:
                script = search.run()
                if script is not None:
                    return Verdict(max(radius, 1), "proved", margin, 2, search.text(script))
                radius = max(radius, self._beyond(batch, index, costs, search.worst, 2))
            except UndecidedError:
                pass
        script = search.far_counterexample() if self.farthest > 2 and radius < self.enough else None
        upper, counterexample = (None, None) if script is None else (len(script), search.text(script))
        known = Verdict(radius, "proved", margin, upper, counterexample)
        nodes = (_NODES if quick else 0) if self.nodes == "default" else self.nodes
        return self._deeper(batch, index, costs[index], known, nodes, deadline)

    def _deeper(
        self, batch: Batch, index: int, costs: Array, known: Verdict, nodes: int | None, deadline: float | None
    ) -> Verdict:
        """Search for longer scripts, one edit more at a time, until the two ends meet or the budget is spent."""
        radius, upper, counterexample = known.radius, known.upper, known.counterexample
        while radius < self.distance and (upper is None or radius + 1 < upper):
            search = ScriptSearch(batch, index, radius + 1, costs, nodes, deadline)
            try:
                found = search.run()
            except UndecidedError:
                break
            if found is None:
                radius += 1
            else:
                upper, counterexample = found
        return Verdict(radius, "proved", known.margin, upper, counterexample)

    def _beyond(self, batch: Batch, index: int, costs: Array, worst: Array, edits: int) -> int:
        """Return K + ⌈m_K/G⌉ − 1, for the worst margins after K edits; they were computed incrementally."""
        row = slice(index, index + 1)
        more = int(radii(worst[None], costs[row], 4 * batch.allowance[row], batch.reach[row] - edits)[0])
        return edits + max(more, 0)


def worst_single_edit(local: LocalLosses, deadline: float | None = None) -> tuple[Array | None, Text | None]:
    """Return the least margins over all single edits, and an edited text that changes the label if there is one.

    Margins are computed incrementally and may be off by the allowance; those within it are decided by asking the
    model itself, so the verdict is the one of brute force, bit for bit.  (None, None) if the time is over.
    """
    batch, index, margins, y = local.batch, local.index, local.margins, local.label
    tolerance = 2 * batch.allowance[index]
    worst = margins.copy()
    for first, effects in effects_in_parts(local):
        for operation, changes, allowed in _allowed_changes(batch, index, first, effects):
            after = margins + (changes[..., y, None] - changes)
            after[..., y] = np.inf
            after[~allowed] = np.inf
            worst = np.minimum(worst, after.reshape(-1, len(margins)).min(axis=0, initial=np.inf))
            least = after.min(axis=-1)
            suspects = np.argwhere(least <= tolerance)
            for place in suspects[np.argsort(least[least <= tolerance], kind="stable")]:
                symbol = int(place[1]) + 1 if len(place) == 2 else 0
                text = edited_text(batch, index, operation, first + int(place[0]), symbol)
                if is_counterexample(batch.model, text, y):
                    return worst, text
        if deadline is not None and time.perf_counter() > deadline:
            return None, None
    return worst, None


def effects_in_parts(local: LocalLosses) -> Iterator[tuple[int, EditEffects]]:
    """Give the edit effects of a text: all that later searches reuse, or of a long text some positions at a time."""
    batch, ids = local.batch, local.ids
    step = max(1, _EFFECTS_AT_ONCE // (batch.model.alphabet.size * batch.model.classes))
    if step > len(ids):
        yield 0, local.effects
        return
    for first in range(0, len(ids) + 1, step):
        yield first, batch.model.edit_effects(ids, first, min(first + step, len(ids) + 1))


def _allowed_changes(
    batch: Batch, index: int, first: int, effects: EditEffects
) -> Iterator[tuple[Operation, Array, np.ndarray[tuple[int, ...], np.dtype[np.bool_]]]]:
    """Give each operation's effects and which of them the threat allows."""
    allowed = batch.allowed
    symbols = batch.encoded[index][first : first + len(effects.substitutions)]
    if allowed.insert.any():
        yield Operation.INSERT, effects.insertions, np.broadcast_to(allowed.insert, effects.insertions.shape[:2])
    if allowed.delete.any():
        yield Operation.DELETE, effects.deletions, allowed.delete[symbols - 1]
    if allowed.replace.any():
        yield Operation.SUBSTITUTE, effects.substitutions, allowed.replace[symbols - 1]
