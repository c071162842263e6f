"""Any number of edits in one dynamic programme: single edits exactly, neighbours by what their windows can hold.

A script of edits, left to right, destroys the windows of the text that touch an edit and makes new ones that hold one.
Let g be the number of symbols kept between one edit and the next, and n the width of a window.

* **Destroyed** windows are those of the text, so what they scored is known.  An edit g symbols after another destroys
  only the windows that the other has left: those that end at least n − 1 − g later.
* **Lone** windows hold one edit: what they score depends on its symbol only, and is maximised over that symbol exactly.
* **Shared** windows hold two edits or more: n − 1 − g of them hold an edit and the next.  Each scores at least the
  lowest window of the model.  Counting each at its leftmost edit, those at an edit with l kept symbols on its left are
  min(l + 1, n − 1 − g), or min(l, n − 1 − g) for a deletion, which has no symbol of its own.

The most that e edits can lose is the longest path over (kind of edit, position, kept symbols since the last edit).
Edits R − 1 or more symbols apart share nothing, so for them the bound is exact, and for a single edit it is the exact
worst case (Theorem "Chains", docs/soundness.md).  The cost is that of all single edits, plus edits·length·R².
Texts are worked through in blocks, so that the memory does not grow with the length: a path looks back R symbols only.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import ClassVar, Final

import numpy as np

from levcert.certifiers.base import Array, Batch, Certifier, Verdict
from levcert.certifiers.lipschitz import Lipschitz, window_ranges
from levcert.certifiers.renamed_options import renamed_option
from levcert.certifiers.search.budget import Budget, OutOfBudgetError
from levcert.errors import InputError
from levcert.models.edit_effects import Mask, windows_of
from levcert.models.tap_bounds import WindowRange
from levcert.models.window import WindowModel
from levcert.text.alphabet import Ids
from levcert.text.edits import Operation

LONGEST_FOR_CHAINS: Final = 1 << 20  # symbols; longer texts, where no time is given, get the radius of one pass
_LONG: Final = 1 << 16  # symbols
_FIRST_EDITS = 8  # edits to compute totals for; then four times as many, until the margin is used up
_ONCE = 16  # edits at once, at most
_NUMBERS_AT_ONCE = 1 << 22  # of a block: 32 MB
_MOST_STEPS = 1 << 30  # edits·length·R²·classes, some 10 ns each; the first edits are always tried
_STEPS_AT_ONCE = 1 << 22  # edits·length·R² between two looks at the clock
_SMALLEST_BLOCK = 64

Block = tuple[int, Array, Array]  # first slot; kinds × slots × R × R × classes; kinds × slots × R × classes


@renamed_option(enough="max_distance")
@dataclass(frozen=True)
class Chains(Certifier):
    """The largest k with margin − (bound of the loss of k edits) > 0 for every other class.

    Examples:
        >>> model = levcert.load("toy.safetensors")
        >>> levcert.certify(model, ["hello world"], levcert.Chains(max_distance=3))[0].radius
        2
    """

    name: ClassVar[str] = "chains"
    needs: ClassVar[str] = "a model with bounded windows (votes, or a convolution with tanh)"

    max_distance: int | None = None  # stop at this radius (faster)
    budget: float | None = None  # seconds for each text
    symbols: bool = (
        True  # False: lone windows count as lowest, too, and no symbol is tried: the text's windows are known
    )

    def verdicts(self, batch: Batch) -> list[Verdict]:
        ranges = window_ranges(batch.model)
        if ranges is None:
            raise InputError(f"chains needs {self.needs}; use exact for this one.")
        verdicts = []
        undecided: str | None
        for index in range(len(batch.texts)):
            length = len(batch.encoded[index])
            if length > LONGEST_FOR_CHAINS and self.budget is None:
                radius, undecided = one_pass(batch, index), f"too long for chains ({length:,} symbols)"
            else:
                # Of a long text, one pass may prove more edits than chains can afford.
                known = one_pass(batch, index) if length > _LONG else 0
                known = known if self.max_distance is None else min(known, self.max_distance)
                radius, undecided = self.proved(batch, index, ranges, Budget(None, self.budget), known)
            verdicts.append(Verdict(radius, "proved", float(batch.margin[index]), undecided=undecided))
        return verdicts

    def proved(
        self, batch: Batch, index: int, ranges: list[tuple[int, WindowRange]], budget: Budget, known: int = 0
    ) -> tuple[int, str | None]:
        """Return the radius of a text, and the limit that kept it from being larger, if there was one.

        ``known`` edits are known to keep the label.
        """
        margins = batch.margins[index]
        allowance = 4 * batch.allowance[index]  # for each edit: its terms are differences of long sums
        most = int(batch.reach[index]) if self.max_distance is None else min(self.max_distance, int(batch.reach[index]))
        costs = ChainCosts(batch, index, ranges, self.symbols, budget)
        others = np.flatnonzero(np.isfinite(margins)).tolist()
        affordable = _MOST_STEPS // ((len(batch.encoded[index]) + 1) * batch.model.width**2 * max(len(others), 1))
        edits = most if most <= _ONCE else min(max(_FIRST_EDITS, 2 * known), most)
        if known and edits > affordable:
            return known, f"too long for chains of {edits:,} edits"
        proved = known
        while True:
            spare = margins[others, None] - allowance * np.arange(2, edits + 2)
            try:
                totals = costs.all_totals(others, edits)
            except OutOfBudgetError as limit:
                return proved, str(limit)
            proved = int((spare > totals[:, 1:]).cumprod(axis=1).sum(axis=1).min(initial=edits))
            if proved < edits or edits >= most:
                return proved, None
            if edits >= affordable:
                return proved, f"too long for chains of more than {edits:,} edits"
            edits = min(4 * edits, most, affordable)


def one_pass(batch: Batch, index: int) -> int:
    """Return the radius of a text by one pass (:class:`Lipschitz`)."""
    one = len(batch.texts) == 1  # a long text is not encoded twice
    alone = batch if one else replace(batch, texts=[batch.texts[index]])
    return Lipschitz().verdicts(alone)[0].radius


@dataclass
class ChainCosts:
    """The three kinds of losses for one text, made for one block of the text after the other."""

    batch: Batch
    index: int
    ranges: list[tuple[int, WindowRange]]
    symbols: bool
    budget: Budget = field(default_factory=Budget)
    _only: Block | None = None  # of a text of one block, which is kept

    @classmethod
    def of(cls, batch: Batch, index: int, ranges: list[tuple[int, WindowRange]], *, symbols: bool = True) -> ChainCosts:
        return cls(batch, index, ranges, symbols)

    def totals(self, other: int, edits: int) -> Array:
        """Return bounds of the loss against a class for 0 … ``edits`` edits: never less for more edits."""
        totals: Array = self.all_totals([other], edits)[0]
        return totals

    def all_totals(self, others: list[int], edits: int) -> Array:
        """Return the totals for several classes, one row each, in one pass over the text."""
        from levcert.kernels.edit_chains import chain_block

        width, last = self.batch.model.width, len(self.batch.encoded[self.index])
        leave = np.full((len(others), width, 3, edits + 1, width), -np.inf)
        closed = np.full((len(others), width + 1, edits + 1), -np.inf)
        closed[..., 0] = 0
        shared, enter = _shared(width, self._lowest), np.empty(width)
        step = max(_SMALLEST_BLOCK, _STEPS_AT_ONCE // ((edits + 1) * width**2))
        for first, lone, destroyed in self._blocks():
            for row, other in enumerate(others):
                both = np.ascontiguousarray(shared[..., other])
                for begin in range(0, lone.shape[1], step):
                    self.budget.check()
                    some = slice(begin, begin + step)
                    mine, gone = (np.ascontiguousarray(part[:, some, ..., other]) for part in (lone, destroyed))
                    chain_block(first + begin, mine, gone, both, leave[row], closed[row], enter)
        ends = np.maximum(closed[:, last % (width + 1)], 0)
        running: Array = np.maximum.accumulate(ends, axis=1)
        return running

    @property
    def _lowest(self) -> list[tuple[int, Array]]:
        label = int(self.batch.best[self.index])
        return [(width, -np.minimum(found.low[label], 0)) for width, found in self.ranges]

    def _blocks(self) -> Iterator[Block]:
        """Give the number of the first slot of each block, the lone losses of its slots, and what they destroy."""
        model, slots = self.batch.model, len(self.batch.encoded[self.index]) + 1
        numbers = 3 * model.width**2 * model.classes  # of one slot
        at_once = _NUMBERS_AT_ONCE if self.budget.deadline is None else _NUMBERS_AT_ONCE >> 4  # the clock is looked at
        size = max(_SMALLEST_BLOCK, at_once // max(numbers, model.width * model.alphabet.size))
        if slots <= size:
            self._only = self._only or self._block(0, slots)
            yield self._only
            return
        for first in range(0, slots, size):
            self.budget.check()
            yield self._block(first, min(first + size, slots))

    def _block(self, first: int, last: int) -> Block:
        """Return the costs of slots first … last − 1; the R symbols on either side are all that they depend on."""
        model, ids, label = self.batch.model, self.batch.encoded[self.index], int(self.batch.best[self.index])
        start = max(0, first - model.width)
        part = np.ascontiguousarray(ids[start : last + model.width])
        inside = slice(first - start, last - start)
        lone = self._lone(part, label)[:, inside]
        return first, lone, _destroyed(model, part, label)[:, inside]

    def _lone(self, ids: Ids, label: int) -> Array:
        model, allowed = self.batch.model, self.batch.allowed
        if self.symbols:
            return model.lone_losses(ids, label, allowed.insert, allowed.delete, allowed.replace)
        lone = _lone_lowest(len(ids), model.width, self._lowest)
        replaceable: Mask = np.asarray(allowed.replace.any(axis=1))
        lone[Operation.SUBSTITUTE, :-1][~replaceable[ids - 1]] = -np.inf
        if not allowed.insert.any():
            lone[Operation.INSERT] = -np.inf
        lone[Operation.DELETE, :-1][~allowed.delete[ids - 1]] = -np.inf
        return lone


def _destroyed(model: WindowModel, ids: Ids, label: int) -> Array:
    """Sum what the windows scored that an edit destroys, g symbols after another: ends t + max(0, n−1−g) … t + n − 1.

    An insertion before t spares the window that begins at t.
    """
    length, width = len(ids), model.width
    result = np.zeros((3, length + 1, width, model.classes))
    slots = np.arange(length + 1)
    for part in model.parts:
        n = part.width
        scores = part.window_scores(windows_of(ids, n))
        margins = scores[:, label, None] - scores
        sums = np.zeros((length + 2 * n, model.classes))
        sums[1 : len(margins) + 1] = np.cumsum(margins, axis=0)
        sums[len(margins) + 1 :] = sums[len(margins)]
        for g in range(width):
            first = slots + max(0, n - 1 - g)
            for kind, end in ((Operation.SUBSTITUTE, n), (Operation.INSERT, n - 1), (Operation.DELETE, n)):
                last = np.maximum(slots + end, first)
                result[kind, :, g] += sums[last] - sums[first]
    return result


def _shared(width: int, lowest: list[tuple[int, Array]]) -> Array:
    """Count the new windows that hold an edit, the next one and none before, each as low as a window can be."""
    result = np.zeros((3, width, width, len(lowest[0][1])))
    for kind in Operation:
        for left in range(width):
            for g in range(width):
                for n, low in lowest:
                    result[kind, left, g] += max(0, min(left + (kind != Operation.DELETE), n - 1 - g)) * low
    return result


def _lone_lowest(length: int, width: int, lowest: list[tuple[int, Array]]) -> Array:
    """Count the new windows that hold one edit, each as low as a window can be."""
    result = np.zeros((3, length + 1, width, width, len(lowest[0][1])))
    for kind in Operation:
        own = int(kind != Operation.DELETE)
        for left in range(width):
            for right in range(width):
                for n, low in lowest:
                    # a symbols left and n − own − a right of the edit, at least one on either side of a deletion
                    windows = min(left, n - 1) - max(1 - own, n - own - right) + 1
                    result[kind, :, left, right] += max(0, windows) * low
    result[[Operation.SUBSTITUTE, Operation.DELETE], length] = -np.inf
    return result
