"""The exact radius of bounded votes: the bound of chains, lowered only where its longest path needs it.

For k = 1, 2, … and every other class: if chains stay below the margin, k is proved; if single edits far from each other
reach it, they are a counterexample.  Otherwise the near edges on paths that reach the margin are refined, the longest
path is found again, and so on, until nothing reaches it (k is proved) or exact clusters do (a counterexample).  The
theorem and its proof: docs/exact-radius.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Final

import numpy as np

from levcert.certifiers.base import Batch, Certifier, Verdict, is_counterexample, radii
from levcert.certifiers.lipschitz import edit_costs, window_ranges
from levcert.certifiers.renamed_options import renamed_option
from levcert.certifiers.search.budget import Budget, OutOfBudgetError
from levcert.certifiers.search.clusters import Move
from levcert.certifiers.search.edit_chains import LONGEST_FOR_CHAINS, Chains, one_pass
from levcert.certifiers.search.ground import TextGround
from levcert.certifiers.search.layers import layers_for
from levcert.certifiers.search.paths import ClassSearch
from levcert.errors import InputError
from levcert.models.votes import UNIT, VoteModel
from levcert.text.alphabet import EncodedTexts, Text
from levcert.text.distances import levenshtein
from levcert.text.edits import Edit, Operation
from levcert.text.model_view import typed

# Longer texts are left to chains, which work in blocks; still longer ones, where no time is given, to one pass.
LONGEST_SEARCHED: Final = 1 << 16  # symbols
_MOST_BYTES: Final = 1 << 30  # of the tables of one text
_MOST_PACKED: Final = 1 << 22  # edits × symbols in the search for far edits beyond the radius
_LONGEST_MEASURED: Final = 20_000  # characters; the distance of two texts takes time that grows with the square


@renamed_option(distance="max_distance")
@dataclass(frozen=True)
class Refine(Certifier):
    """The exact radius where the budget allows it, and always a sound one with the nearest counterexample found.

    Examples:
        >>> model = levcert.load("toy.safetensors")
        >>> levcert.certify(model, ["hello world"], levcert.Refine(max_distance=3))[0].radius
        2
    """

    name: ClassVar[str] = "refine"
    needs: ClassVar[str] = "bounded votes"

    max_distance: int | None = None  # stop at this radius (faster)
    expansions: int | None = 1_000_000  # symbols tried for each text, some microseconds each; None: any number
    budget: float | None = None  # seconds for each text

    def verdicts(self, batch: Batch) -> list[Verdict]:
        if not isinstance(batch.model, VoteModel):
            raise InputError(f"refine needs {self.needs}; use exact for this one.")
        if self.max_distance is None:
            return [self.search(batch, index).run() for index in range(len(batch.texts))]
        at_once = radii(batch.margins, edit_costs(batch), batch.allowance, batch.reach)
        return [
            Verdict(self.max_distance, "proved", float(batch.margin[index]))  # what the search would say, for nothing
            if radius >= self.max_distance
            else self.search(batch, index).run()
            for index, radius in enumerate(at_once)
        ]

    def search(self, batch: Batch, index: int) -> RadiusSearch:
        """Return the search for one text, not yet run."""
        return RadiusSearch(batch, index, self.max_distance, Budget(self.expansions, self.budget))


@dataclass
class RadiusSearch:
    """The search for one text: all other classes, one edit more at a time."""

    batch: Batch
    index: int
    distance: int | None
    budget: Budget

    def __post_init__(self) -> None:
        self.text = TextGround(self.batch, self.index, self.budget)
        self.classes: list[ClassSearch] = []
        self.undecided: str | None = None

    def run(self) -> Verdict:
        with self.budget.timer():
            return self._run()

    def _run(self) -> Verdict:
        margin = float(self.batch.margin[self.index])
        reach = int(self.batch.reach[self.index])
        most = reach if self.distance is None else min(self.distance, reach)
        if not self._has_room(1):
            return Verdict(self._chains(most), "proved", margin, undecided=self.undecided)
        radius, script = 0, None
        try:
            _ = self.text.tables
            self.classes = [ClassSearch(self.text, other, self.budget) for other in self.text.margins]
            while radius < most and script is None:
                if not self._has_room(radius + 1):
                    radius = max(radius, self._chains(most))
                    break
                script = self._decide(radius + 1)
                radius += script is None
        except OutOfBudgetError as limit:
            self.undecided = str(limit)
            radius = max(radius, self._one_pass(most))
        return self._verdict(radius, script, margin)

    def nearest_of_pairs(self) -> Text | None:
        """Return the nearest counterexample of single edits and pairs, as an attack: finding none proves nothing."""
        if self.distance is None or not self._has_room(self.distance):
            return None
        with self.budget.timer():
            return self._nearest_of_pairs(self.distance)

    def _nearest_of_pairs(self, distance: int) -> Text | None:
        self.classes = [ClassSearch(self.text, other, self.budget) for other in self.text.margins]
        try:
            for k in range(1, distance + 1):
                script = self._decide(k, pairs_only=True)
                if script is not None:
                    return self._counterexample(script)
        except OutOfBudgetError:
            pass
        return None

    def _has_room(self, k: int) -> bool:
        """Say whether the tables for k edits fit: gains of single edits, and four layers of chains for each number."""
        width, classes, length = self.text.model.width, self.text.model.classes, len(self.text.ids)
        size = 3 * (length + 1) * width * classes * (4 * width + 32 * layers_for(k))
        return length <= LONGEST_SEARCHED and size <= _MOST_BYTES

    def _chains(self, most: int) -> int:
        """Return the radius that chains prove for a text that is too long for the search."""
        length = len(self.text.ids)
        self.undecided = f"too long for the exact search ({length:,} symbols)"
        least = self._one_pass(most)
        if length > LONGEST_FOR_CHAINS and self.budget.seconds is None:
            return least
        ranges = window_ranges(self.text.model)
        assert ranges is not None
        return max(least, Chains(most).proved(self.batch, self.index, ranges, self.budget, least)[0])

    def _one_pass(self, most: int) -> int:
        return min(most, one_pass(self.batch, self.index))

    def _decide(self, k: int, *, pairs_only: bool = False) -> list[Move] | None:
        """Return at most k edits that change the label, or None if there are none."""
        self.budget.check()
        waiting = [search for search in self.classes if not search.proved_by_chains(k)]
        for search in waiting:  # quick, and where it succeeds nothing else is needed
            script = search.far_script(k)
            if script is not None:
                return script
        for search in waiting:
            script = search.decide(k, pairs_only=pairs_only)
            if script is not None:
                return script
        return None

    def _verdict(self, radius: int, script: list[Move] | None, margin: float) -> Verdict:
        if script is None and (self.distance is None or radius < self.distance):
            script = self._beyond(radius)
        if script is None:
            return Verdict(radius, "proved", margin, undecided=self.undecided)
        text = self._counterexample(script)
        if text is None:
            return Verdict(radius, "proved", margin, undecided=self.undecided)
        upper = len(script)
        if upper > radius + 1 and self.batch.threat.unrestricted and len(self.text.ids) <= _LONGEST_MEASURED:
            upper = levenshtein(self.batch.texts[self.index], text)  # some edits may have undone others
        return Verdict(radius, "proved", margin, upper, text, self.undecided)

    def _beyond(self, radius: int) -> list[Move] | None:
        """Return single edits far from each other that change the label, the fewest of up to twice the radius."""
        most = min(2 * radius + 10, int(self.batch.reach[self.index]), _MOST_PACKED // (len(self.text.ids) + 1))
        if most <= radius:
            return None
        scripts = [search.far_script(most) for search in self.classes]
        return min((script for script in scripts if script is not None), key=len, default=None)

    def _counterexample(self, script: list[Move]) -> Text | None:
        """Carry a script over to the text, once the model itself has said that it changes the label."""
        changed = self.batch.model.encoded_scores(EncodedTexts.single(edited(self.text.ids, script)))[0]
        before, y = self.batch.scores[self.index], self.text.label
        losses = np.rint(((before[y] - before) - (changed[y] - changed)) / UNIT).astype(np.int64)
        if not any(losses[other] >= margin for other, margin in self.text.margins.items()):
            raise AssertionError(f"The search believes that {script} changes the label, and the model does not.")
        alphabet = self.batch.model.alphabet
        edits = [Edit(Operation(kind), t, alphabet.decode([c]) if c else None) for kind, t, c in script]
        text = typed(alphabet, self.batch.threat, self.batch.texts[self.index], edits)
        # With a target and more than two classes, a third class may win where the target beats the label.
        return text if is_counterexample(text, self.batch, self.index) else None


def edited(
    ids: np.ndarray[tuple[int, ...], np.dtype[np.int32]], script: list[Move]
) -> np.ndarray[tuple[int, ...], np.dtype[np.int32]]:
    """Return the ids after a script, whose moves are in the order of the text."""
    result: list[int] = []
    copied = 0
    for kind, t, symbol in script:
        result.extend(ids[copied:t].tolist())
        if symbol:
            result.append(symbol)
        copied = t + (kind != Operation.INSERT)
    result.extend(ids[copied:].tolist())
    return np.array(result, dtype=np.int32)
