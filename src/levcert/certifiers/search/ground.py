"""One text of a batch in the form that the search kernels need: integers, masks and tables."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt

from levcert.certifiers.base import Batch
from levcert.certifiers.search.budget import Budget
from levcert.kernels.search.ground import Ground, Mask, Numbers
from levcert.kernels.search.lone import Gains, destroyed_gains
from levcert.kernels.vote_scores import powers_to, shift_of
from levcert.models.votes import UNIT, VoteModel
from levcert.text.alphabet import Ids


@dataclass
class TextGround:
    """Text number ``index`` of a batch: margins in units, and what single edits gain and destroy, for all classes."""

    batch: Batch
    index: int
    budget: Budget = field(default_factory=Budget)

    @cached_property
    def model(self) -> VoteModel:
        assert isinstance(self.batch.model, VoteModel)
        return self.batch.model

    @cached_property
    def ids(self) -> Ids:
        return np.ascontiguousarray(self.batch.encoded[self.index])

    @cached_property
    def label(self) -> int:
        return int(self.batch.best[self.index])

    @cached_property
    def margins(self) -> dict[int, int]:
        """What each other class that matters must gain on the label to take its place, in units."""
        row = self.batch.margins[self.index]
        return {int(y): round(float(row[y]) / UNIT) for y in np.flatnonzero(np.isfinite(row))}

    @cached_property
    def allowed(self) -> tuple[Mask, Mask, Mask]:
        """Insertions and deletions by symbol, substitutions by both symbols."""
        allowed = self.batch.allowed
        insert, replace, delete = map(np.ascontiguousarray, (allowed.insert, allowed.replace, allowed.delete))
        return insert, replace, delete

    @cached_property
    def tables(self) -> tuple[Mask, Gains, Gains]:
        """Which edits are possible (kinds × slots); what their n-grams gain; what those gained that they destroy."""
        model, width, slots = self.model, self.model.width, len(self.ids) + 1
        insert, replace, delete = self.allowed
        possible, gains = model.lone_gains(self.ids, self.label, insert, delete, replace, self.budget.stop)
        self.budget.check()
        destroyed = np.zeros((model.classes, 3, slots, width), dtype=np.int32)
        destroyed_gains(model.table, self._orders, self.ids, self.label, destroyed)
        return possible, gains, destroyed

    def against(self, other: int) -> Ground:
        """Return what kernels are given for one other class."""
        insert, replace, delete = self.allowed
        return Ground(
            self.model.table, self.model.used_rows, self._orders, self.model.highest_gains[self.label, other].copy(),
            self.ids, insert, replace, delete, self.label, other, self._shift, self._powers, self.budget.stop,
        )  # fmt: skip

    @cached_property
    def _orders(self) -> Numbers:
        return np.array(self.model.orders, dtype=np.int64)

    @cached_property
    def _shift(self) -> np.uint64:
        return np.uint64(shift_of(self.model.votes.shape[1]))

    @cached_property
    def _powers(self) -> npt.NDArray[np.uint64]:
        return powers_to(self.model.width)
