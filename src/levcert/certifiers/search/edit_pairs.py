"""Exact at distance 2: far pairs of edits add up, near pairs are bounded and only then evaluated.

Let a(s) be the last and b(s) the first start of a window that an edit in slot s touches: for the character at t these
are t and t − R + 1, for the cut before t they are t − 1 and t − R + 1.  Edits in slots s₁ left of s₂ share a window
only if b(s₂) ≤ a(s₁).  So

* **far** pairs lose the sum of what each loses alone: no search;
* **an edit and a substitution** nearby: count the substitution of x by c last.  In windows that the other edit does
  not touch it loses exactly what it loses alone; in the others at most the tap cost d_j(x, c);
* **two insertions, or a deletion and an insertion** nearby: put a fixed symbol r where something is inserted; replacing
  r by the real symbol is a substitution, bounded as above;
* **two deletions** nearby: few enough to evaluate all.

What the bounds leave open is evaluated: for one edit fixed, all symbols of the other at once.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Any

import numpy as np
import numpy.typing as npt

from levcert.certifiers.base import Array, is_counterexample
from levcert.certifiers.search.far_edits import far_edits
from levcert.certifiers.search.local_losses import LocalLosses, Slot
from levcert.models.edit_effects import pad
from levcert.text.alphabet import Ids
from levcert.text.edits import Edit, Operation

Integers = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

_HOLES_AT_ONCE = 256  # bounds the memory for long texts


class UndecidedError(Exception):
    """The search ran out of its budget, or came too near to a margin of 0 to tell."""


@dataclass
class PairSearch(LocalLosses):
    """The search for two edits that change the label of one text that no single edit changes."""

    evaluations: int | None = None  # how many edits may be expanded; None: any number
    deadline: float | None = None
    farthest: int = 2  # how many far edits are combined

    def __post_init__(self) -> None:
        self.worst = self.batch.margins[self.index].copy()  # a lower bound of the margins after two edits
        self.spent = 0
        self.suspects = 0
        self.floor: Array | float = self.tolerance  # what two edits must leave of each margin
        self._far: dict[int, tuple[Array, list[list[Slot]]]] = {}

    def run(self) -> list[Edit] | None:
        """Return two edits that change the label, or None if no two do: then ``worst`` bounds all margins."""
        if script := self._first_counterexample(self._far_pairs()):
            return script
        # Of far pairs only the worst is tried.  Where it comes within the allowance of 0 and still keeps the label,
        # or cannot be typed, others like it might be on the wrong side.
        doubtful = self.suspects > 0
        if script := self._first_counterexample(self._near_pairs()):
            return script
        if doubtful:
            raise UndecidedError
        if self.suspects:  # each was tried and kept the label, by less than the allowance
            self.worst = np.minimum(self.worst, 0)
        return None

    def leave(self, taken: Array) -> bool:
        """Say whether any two edits leave more than ``taken`` of each margin; then ``worst`` says how much more.

        The same search with another floor: a pair is expanded where its bound is not above it, and the first pair that
        really leaves less, the answer is no.
        """
        known, self.worst = self.worst, self.batch.margins[self.index].copy()
        self.floor = taken + self.tolerance
        if next(chain(self._far_pairs(), self._near_pairs()), None) is None:
            return True
        self.worst = known
        return False

    def _first_counterexample(self, scripts: Iterator[list[Edit]]) -> list[Edit] | None:
        """Let the model itself decide about scripts; those that keep the label are counted."""
        for script in scripts:
            if is_counterexample(self.text(script), self.batch, self.index):
                return script
            self.suspects += 1
            if self.batch.target is not None:  # a third class may win in any number of scripts
                self._spend()
        return None

    def _near_pairs(self) -> Iterator[list[Edit]]:
        yield from self._pairs_with_a_substitution()
        yield from self._pairs_with_a_deletion()
        yield from self._two_insertions()

    def _open(self, loss: Array) -> Mask:
        """Say where a loss may be enough; elsewhere note the margin that it leaves."""
        left = self.margins - loss
        suspicious = np.asarray((left <= self.floor).any(axis=-1))
        kept = left[~suspicious]
        if kept.size:
            self.worst = np.minimum(self.worst, kept.reshape(-1, len(self.margins)).min(axis=0))
        return suspicious

    def _spend(self) -> None:
        self.spent += 1
        if self.evaluations is not None and self.spent > self.evaluations:
            raise UndecidedError
        if self.deadline is not None and time.perf_counter() > self.deadline:
            raise UndecidedError

    # Far pairs.

    def _far_pairs(self) -> Iterator[list[Edit]]:
        """Combine the best edits of slots that share no window, for each class that they may lead to."""
        for other in range(len(self.margins)):
            if other != self.label:
                totals, _ = self.far(other)
                loss = np.full(len(self.margins), -np.inf)
                loss[other] = totals[1]
                if self._open(loss[None])[0]:
                    yield self.far_script(other, 2)

    def far(self, other: int) -> tuple[Array, list[list[Slot]]]:
        """Return the worst far edits towards a class: totals and slots for 1, 2, … edits."""
        if other not in self._far:
            cuts, characters = (slots[:, other] for slots in self.best)
            self._far[other] = far_edits(cuts, characters, self.width, self.farthest)
        return self._far[other]

    def far_script(self, other: int, count: int) -> list[Edit]:
        """Return the worst ``count`` far edits towards a class."""
        return [self.best_edit(slot, other) for slot in self.far(other)[1][count - 1]]

    def far_counterexample(self) -> list[Edit] | None:
        """Return the shortest script of far edits that changes the label, if ``farthest`` edits can."""
        others = [other for other in range(len(self.margins)) if other != self.label]
        for count in range(1, self.farthest + 1):
            for other in others:
                if self.margins[other] - self.far(other)[0][count - 1] <= self.tolerance:
                    script = self.far_script(other, count)
                    if is_counterexample(self.text(script), self.batch, self.index):
                        return script
        return None

    # An edit and a substitution nearby.

    def _replacement_bounds(
        self, lefts: Integers, rights: Integers, old: Integers, allowed: Mask
    ) -> tuple[Array, Array]:
        """Bound what replacing a symbol loses if some of its windows are touched by another edit.

        The symbols ``old`` stand in the holes between ``lefts`` and ``rights``.  Returns left[n, g], for the case that
        the windows with the hole at taps ≥ g are touched, and right[n, g] for taps ≤ R − 1 − g.
        """
        from levcert.kernels.edit_pairs import replacement_bounds

        padded, allowed = pad(self.ids, self.width - 1), np.ascontiguousarray(allowed)
        left, right = (np.empty((len(lefts), self.width + 1, len(self.margins))) for _ in range(2))
        for start in range(0, len(lefts), _HOLES_AT_ONCE):
            part = slice(start, start + _HOLES_AT_ONCE)
            windows = self.batch.model.hole_window_scores(padded, lefts[part], rights[part])
            replacement_bounds(windows, self.label, old[part], self.costs, allowed[part], left[part], right[part])
        return left, right

    @cached_property
    def costs(self) -> Array:
        costs = self.batch.model.replacement_costs(self.label)
        if costs is None:
            raise UndecidedError
        return costs

    def _pairs_with_a_substitution(self) -> Iterator[list[Edit]]:
        length, side = len(self.ids), self.width - 1
        if not length or not self.batch.allowed.replace.any():
            return
        t = np.arange(length)
        old = self.ids.astype(np.int64) - 1
        left, right = self._replacement_bounds(t + side, t + side + 1, old, self.batch.allowed.replace[old])
        for gap in range(1, self.width):
            # The other edit: at a character so far to the left or right, or in a cut that reaches as far.
            yield from self._with_substitution("character", t - gap, t, left[:, gap])
            yield from self._with_substitution("cut", t - gap + 1, t, left[:, gap])
            yield from self._with_substitution("character", t + gap, t, right[:, gap])
            yield from self._with_substitution("cut", t + gap, t, right[:, gap])

    def _with_substitution(self, kind: str, others: Integers, places: Integers, bounds: Array) -> Iterator[list[Edit]]:
        """Look at pairs of an edit in the slots ``others`` and a substitution at ``places``."""
        slots = self.best[kind == "character"]
        inside = (others >= 0) & (others < len(slots))
        others, places, bounds = others[inside], places[inside], bounds[inside]
        for row in np.flatnonzero(self._open(slots[others] + bounds)):
            edits, losses = self._edits_in(kind, int(others[row]))
            for chosen in np.flatnonzero(self._open(losses + bounds[row])):
                yield from self._expand(edits[chosen], losses[chosen], int(places[row]))

    def _edits_in(self, kind: str, t: int) -> tuple[list[Edit], Array]:
        """Return the allowed edits of a slot and their losses."""
        insertions, deletions, substitutions = self.losses
        if kind == "cut":
            symbols = np.flatnonzero(self.batch.allowed.insert)
            return [Edit(Operation.INSERT, t, self.symbol(c)) for c in symbols], insertions[t, symbols]
        symbols = np.flatnonzero(self.batch.allowed.replace[self.ids[t] - 1])
        edits, losses = [Edit(Operation.SUBSTITUTE, t, self.symbol(c)) for c in symbols], substitutions[t, symbols]
        if not self.batch.allowed.delete[self.ids[t] - 1]:
            return edits, losses
        return [*edits, Edit(Operation.DELETE, t)], np.concatenate([losses, deletions[t][None]])

    def _expand(self, edit: Edit, loss: Array, place: int) -> Iterator[list[Edit]]:
        """Evaluate all substitutions at a place after an edit."""
        self._spend()
        changed, shift = self.apply(edit)
        moved = place + (shift if place >= edit.position else 0)
        after = loss + self.substitution_losses(changed, moved)
        after[~self.batch.allowed.replace[self.ids[place] - 1]] = -np.inf
        for c in np.flatnonzero(self._open(after)):
            yield [edit, Edit(Operation.SUBSTITUTE, place, self.symbol(c))]

    # Insertions, with one symbol for all at first.

    def _reference_losses(self, left: Ids, right: Ids) -> Array:
        """Return what inserting the reference symbol between given contexts loses."""
        middle = np.full((len(left), 1), self.reference + 1, dtype=np.int32)
        filled = self.batch.model.context_scores(np.concatenate([left, middle, right], axis=1))
        return self.loss(filled - self.batch.model.context_scores(np.concatenate([left, right], axis=1)))

    @cached_property
    def reference(self) -> int:
        """The allowed symbol from which all others are cheapest to reach: it stands for any insertion at first."""
        reach = self.costs.sum(axis=1).max(axis=0).max(axis=1)
        return int(np.where(self.batch.allowed.insert, reach, np.inf).argmin())

    @cached_property
    def insertion_bounds(self) -> tuple[Array, Array]:
        """For each cut and gap, what replacing the reference symbol there by any other can lose."""
        cuts = np.arange(len(self.ids) + 1)
        everywhere = np.broadcast_to(self.batch.allowed.insert, (len(cuts), len(self.batch.allowed.insert)))
        middles = cuts + self.width - 1
        return self._replacement_bounds(middles, middles, np.full(len(cuts), self.reference), everywhere)

    # A deletion and an insertion or another deletion nearby.

    def _pairs_with_a_deletion(self) -> Iterator[list[Edit]]:
        if not self.batch.allowed.delete.any():
            return
        length, side, deletions = len(self.ids), self.width - 1, self.losses[1]
        padded = np.append(pad(self.ids, side), np.int32(0))  # one more, for what moves up
        around = np.arange(side)

        def shortened(deleted: Integers, where: Integers) -> Ids:
            """Return the symbols at places of the padded text after a deletion."""
            ids: Ids = padded[where + (where >= deleted[:, None] + side)]
            return ids

        for start in range(0, length, _HOLES_AT_ONCE // self.width + 1):
            self._spend()
            block = np.arange(start, min(length, start + _HOLES_AT_ONCE // self.width + 1))
            near = np.arange(-self.width, self.width + 1)
            t, cut = (grid.ravel() for grid in np.broadcast_arrays(block[:, None], block[:, None] + near))
            # Inserting where something was deleted is a substitution, but perhaps not one that the threat allows.
            keep = (cut >= 0) & (cut < length)
            t, cut = t[keep], cut[keep]
            if self.batch.allowed.insert.any():
                left, right = shortened(t, cut[:, None] + around), shortened(t, cut[:, None] + side + around)
                place = cut + (cut > t)  # the cut in the text itself
                gap = np.minimum(np.where(cut > t, place - t, t - place + 1), self.width)
                slack = np.where((cut > t)[:, None], *(bounds[place, gap] for bounds in self.insertion_bounds))
                rows = np.flatnonzero(self._open(deletions[t] + self._reference_losses(left, right) + slack))
                losses = deletions[t[rows], None] + self.insertion_losses(left[rows], right[rows])
                for row, c in np.argwhere(self._open(losses)):
                    yield [
                        Edit(Operation.DELETE, int(t[rows[row]])),
                        Edit(Operation.INSERT, int(place[rows[row]]), self.symbol(c)),
                    ]
            t, place = (grid.ravel() for grid in np.broadcast_arrays(block[:, None], block[:, None] + near[near >= 0]))
            t, place = t[place < length - 1], place[place < length - 1]  # in the shortened text, right of t
            left, right = shortened(t, place[:, None] + around), shortened(t, place[:, None] + side + 1 + around)
            middle = shortened(t, place[:, None] + side)[:, 0]
            for row in np.flatnonzero(self._open(deletions[t] + self.deletion_losses(left, middle, right))):
                yield [Edit(Operation.DELETE, int(t[row])), Edit(Operation.DELETE, int(place[row]) + 1)]

    # Two insertions nearby.

    def _two_insertions(self) -> Iterator[list[Edit]]:
        if not self.batch.allowed.insert.any():
            return
        side, length, insertions = self.width - 1, len(self.ids), self.losses[0]
        after_first, before_second = self.insertion_bounds[1], self.insertion_bounds[0]
        padded, around = pad(self.ids, side), np.arange(side)
        step = _HOLES_AT_ONCE // self.width + 1
        for start in range(0, length + 1, step):
            self._spend()
            block = np.arange(start, min(length + 1, start + step))
            near = np.arange(self.width - 1)
            cut, first = (grid.ravel() for grid in np.broadcast_arrays(block[:, None], block[:, None] - near))
            cut, first = cut[first >= 0], first[first >= 0]
            if not len(cut):
                continue
            # Right of the first insertion stands the text with the reference symbol put into the cut.
            where = first[:, None] + around
            right = padded[np.minimum(where - (where > cut[:, None]) + side, len(padded) - 1)]
            right = np.where(where == cut[:, None], np.int32(self.reference + 1), right)
            left, with_reference = padded[where], insertions[cut, self.reference]
            gap = cut - first + 1  # how far left of the second symbol the first one stands
            both = with_reference + self._reference_losses(left, right) + after_first[first, gap]
            rows = np.flatnonzero(self._open(both + before_second[cut, gap]))
            pair = with_reference[rows, None] + self.insertion_losses(left[rows], right[rows])
            for row, c in np.argwhere(self._open(pair + before_second[cut[rows], gap[rows]][:, None])):
                yield from self._expand_insertions(int(first[rows[row]]), c, int(cut[rows[row]]))

    def _expand_insertions(self, first: int, symbol: np.integer[Any], cut: int) -> Iterator[list[Edit]]:
        """Evaluate all second insertions after a first one to the left."""
        self._spend()
        edit = Edit(Operation.INSERT, first, self.symbol(symbol))
        longer = pad(self.apply(edit)[0], self.width - 1)
        left, right = longer[cut + 1 : cut + self.width], longer[cut + self.width : cut + 2 * self.width - 1]
        after = self.losses[0][first, symbol] + self.insertion_losses(left[None], right[None])[0]
        for c in np.flatnonzero(self._open(after)):
            yield [edit, Edit(Operation.INSERT, cut, self.symbol(c))]
