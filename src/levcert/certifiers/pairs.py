"""Exact at distance 2: far pairs of edits add up, near pairs are bounded and only then evaluated.

Let a(s) be the last and b(s) the first start of a window that an edit in slot s touches: for the character at t these
are t and t − R + 1, for the cut before t they are t − 1 and t − R + 1.  Edits in slots s₁ left of s₂ share a window
only if b(s₂) ≤ a(s₁).  So

* **far** pairs lose the sum of what each loses alone: no search;
* **an edit and a substitution** nearby: count the substitution of x by c last.  In windows that the other edit does
  not touch it loses exactly what it loses alone; in the others at most the tap cost d_j(x, c);
* **two insertions** nearby: put a fixed symbol r in the second place; replacing r by the real symbol is a
  substitution, bounded as above;
* **a deletion and an insertion, two deletions** nearby: few enough to evaluate all.

Whatever the bounds leave open is evaluated: for one edit fixed, all symbols of the other at once.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from levcert.alphabet import Ids, Text
from levcert.certifiers.base import Array, Batch, is_counterexample
from levcert.edits import Edit
from levcert.models.window import pad
from levcert.spelling import apply_to_original

Integers = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

_HOLES_AT_ONCE = 256  # bounds the memory for long texts


class UndecidedError(Exception):
    """The search ran out of its budget, or came too near to a margin of 0 to tell."""


@dataclass
class PairSearch:
    """The search for two edits that change the label of one text that no single edit changes."""

    batch: Batch
    index: int
    evaluations: int | None = None  # how many edits may be expanded; None: any number
    deadline: float | None = None

    def __post_init__(self) -> None:
        self.worst = self.batch.margins[self.index].copy()  # a lower bound of the margins after two edits
        self.spent = 0

    def run(self) -> list[Edit] | None:
        """Return two edits that change the label, or None if no two do: then ``worst`` bounds all margins."""
        doubtful = False
        for script in self._suspects():
            if is_counterexample(self.batch.model, self.text(script), self.label):
                return script
            doubtful = True  # within the allowance of 0: others like it might be on the wrong side
        if doubtful:
            raise UndecidedError
        return None

    def text(self, script: list[Edit]) -> Text:
        """Return the text after a script of edits of the ids."""
        return apply_to_original(self.batch.model.alphabet, self.batch.texts[self.index], script)

    # What is known of the text.

    @cached_property
    def ids(self) -> Ids:
        return self.batch.encoded[self.index]

    @cached_property
    def label(self) -> int:
        return int(self.batch.best[self.index])

    @cached_property
    def margins(self) -> Array:
        margins: Array = self.batch.margins[self.index]
        return margins

    @cached_property
    def tolerance(self) -> float:
        return float(4 * self.batch.allowance[self.index])

    @cached_property
    def width(self) -> int:
        return self.batch.model.width

    @cached_property
    def losses(self) -> tuple[Array, Array, Array]:
        """What each single edit takes from the margins: insertions, deletions, substitutions; −∞ if not allowed."""
        effects, allowed = self.batch.model.edit_effects(self.ids), self.batch.allowed
        insertions, deletions, substitutions = (
            self._loss(changes) for changes in (effects.insertions, effects.deletions, effects.substitutions)
        )
        insertions[:, ~allowed.insert] = -np.inf
        substitutions[~allowed.replace[self.ids - 1]] = -np.inf
        if not allowed.delete:
            deletions[:] = -np.inf
        return insertions, deletions, substitutions

    def _loss(self, changes: Array) -> Array:
        loss: Array = changes - changes[..., self.label, None]
        loss[..., self.label] = -np.inf
        return loss

    def _suspects(self) -> Iterator[list[Edit]]:
        yield from self._far_pairs()
        yield from self._pairs_with_a_substitution()
        yield from self._pairs_with_a_deletion()
        yield from self._two_insertions()

    def _open(self, loss: Array) -> Mask:
        """Say where a loss may be enough; elsewhere note the margin that it leaves."""
        left = self.margins - loss
        suspicious = np.asarray((left <= self.tolerance).any(axis=-1))
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

    def _symbol(self, number: int | np.integer[Any]) -> Text:
        return self.batch.model.alphabet.decode([int(number) + 1])

    # Far pairs.

    @cached_property
    def best(self) -> tuple[Array, Array]:
        """The largest loss in each cut, and at each character."""
        insertions, deletions, substitutions = self.losses
        at_characters = np.maximum(deletions, substitutions.max(axis=1, initial=-np.inf))
        return insertions.max(axis=1, initial=-np.inf), at_characters

    def _far_pairs(self) -> Iterator[list[Edit]]:
        """Combine the best edits of slots that share no window; with the exact loss of each, so is their sum."""
        cuts, characters = self.best
        length = len(self.ids)
        by_end = np.full((length + 1, len(self.margins)), -np.inf)  # by a(s) + 1, so that cut 0 has place 0
        by_end = np.maximum(by_end, cuts)  # the cut before t ends at t − 1
        by_end[1:] = np.maximum(by_end[1:], characters)
        before = np.maximum.accumulate(by_end, axis=0)
        for slots, which in ((cuts, 0), (characters, 1)):
            starts = np.arange(len(slots)) - self.width + 1  # b(s): the other must end before it
            reachable = starts >= 0
            sums = slots[reachable] + before[starts[reachable]]
            for row in np.flatnonzero(self._open(sums)):
                yield from self._realise(int(np.flatnonzero(reachable)[row]), which, by_end)

    def _realise(self, place: int, which: int, by_end: Array) -> Iterator[list[Edit]]:
        """Give the scripts of a far pair, one for each class that it may lead to."""
        start = place - self.width + 1
        for other in range(len(self.margins)):
            if other == self.label:
                continue
            end = int(by_end[: start + 1, other].argmax())
            firsts = [self._best_edit(("cut", end), other)]
            if end:
                firsts.append(self._best_edit(("character", end - 1), other))
            second = self._best_edit(("character" if which else "cut", place), other)
            first = max(firsts, key=lambda found: found[0])
            if first[1] and second[1] and self.margins[other] - first[0] - second[0] <= self.tolerance:
                yield [first[1], second[1]]

    def _best_edit(self, slot: tuple[str, int], other: int) -> tuple[float, Edit | None]:
        insertions, deletions, substitutions = self.losses
        kind, t = slot
        if kind == "cut":
            c = int(insertions[t, :, other].argmax())
            return float(insertions[t, c, other]), Edit("insert", t, self._symbol(c))
        c = int(substitutions[t, :, other].argmax())
        if deletions[t, other] >= substitutions[t, c, other]:
            return float(deletions[t, other]), Edit("delete", t)
        return float(substitutions[t, c, other]), Edit("substitute", t, self._symbol(c))

    # An edit and a substitution nearby.

    def _replacement_bounds(
        self, lefts: Integers, rights: Integers, old: Integers, allowed: Mask
    ) -> tuple[Array, Array]:
        """Bound what replacing a symbol loses if some of its windows are touched by another edit.

        The symbols ``old`` stand in the holes between ``lefts`` and ``rights``.  Returns left[n, g], for the case that
        the windows with the hole at taps ≥ g are touched, and right[n, g] for taps ≤ R − 1 − g.
        """
        padded = pad(self.ids, self.width - 1)
        bounds: tuple[list[Array], list[Array]] = ([], [])
        for start in range(0, len(lefts), _HOLES_AT_ONCE):
            part = slice(start, start + _HOLES_AT_ONCE)
            scores = self.batch.model.hole_window_scores(padded, lefts[part], rights[part])
            margin = scores[:, :, self.label, None] - scores  # holes × taps × classes × symbols
            kept = np.take_along_axis(margin, old[part][:, None, None, None], axis=3)
            costs = self.costs[:, :, old[part]].transpose(2, 1, 0, 3)
            zero = np.zeros_like(margin[:, :1])
            exact = np.concatenate([zero, np.cumsum(kept - margin, axis=1)], axis=1)
            loose = np.concatenate([zero, np.cumsum(costs, axis=1)], axis=1)
            left = exact + (loose[:, -1:] - loose)  # index g: taps < g exact, the others by their costs
            right = (loose + (exact[:, -1:] - exact))[:, ::-1]  # index g: taps < R − g by their costs
            for side, found in zip((left, right), bounds, strict=True):
                largest = np.where(allowed[part][:, None, None, :], side, -np.inf).max(axis=3, initial=-np.inf)
                largest[:, :, self.label] = -np.inf
                found.append(largest)
        return np.concatenate(bounds[0]), np.concatenate(bounds[1])

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
            for edit, loss in self._edits_in(kind, int(others[row])):
                if self._open((loss + bounds[row])[None])[0]:
                    yield from self._expand(edit, loss, int(places[row]))

    def _edits_in(self, kind: str, t: int) -> Iterator[tuple[Edit, Array]]:
        """Give the allowed edits of a slot and their losses."""
        insertions, deletions, substitutions = self.losses
        if kind == "cut":
            for c in np.flatnonzero(self.batch.allowed.insert):
                yield Edit("insert", t, self._symbol(c)), insertions[t, c]
            return
        if self.batch.allowed.delete:
            yield Edit("delete", t), deletions[t]
        for c in np.flatnonzero(self.batch.allowed.replace[self.ids[t] - 1]):
            yield Edit("substitute", t, self._symbol(c)), substitutions[t, c]

    def _expand(self, edit: Edit, loss: Array, place: int) -> Iterator[list[Edit]]:
        """Evaluate all substitutions at a place after an edit."""
        self._spend()
        changed, shift = self._apply(edit)
        moved = place + (shift if place >= edit.position else 0)
        after = loss + self._substitution_losses(changed, moved)
        after[~self.batch.allowed.replace[self.ids[place] - 1]] = -np.inf
        for c in np.flatnonzero(self._open(after)):
            yield [edit, Edit("substitute", place, self._symbol(c))]

    def _apply(self, edit: Edit) -> tuple[Ids, int]:
        """Return the ids after one edit, and by how much what follows has moved."""
        t = edit.position
        if edit.operation == "delete":
            return np.delete(self.ids, t), -1
        symbol = self.batch.model.alphabet.encode(edit.symbol or "")
        if edit.operation == "insert":
            return np.insert(self.ids, t, symbol), 1
        changed = self.ids.copy()
        changed[t] = symbol[0]
        return changed, 0

    def _substitution_losses(self, ids: Ids, place: int) -> Array:
        side = self.width - 1
        at = np.array([place + side])
        filled = self.batch.model.hole_scores(pad(ids, side), at, at + 1)[0]
        return self._loss(filled - filled[ids[place] - 1])

    def _insertion_losses(self, ids: Ids, first: int, last: int) -> Array:
        """Return what each insertion before the positions first … last − 1 loses; −∞ if not allowed."""
        side = self.width - 1
        padded, cuts = pad(ids, side), np.arange(first, last)
        parts = np.lib.stride_tricks.sliding_window_view(padded, side)
        straddling = self.batch.model.context_scores(np.concatenate([parts[cuts], parts[cuts + side]], axis=1))
        filled = self.batch.model.hole_scores(padded, cuts + side, cuts + side)
        loss = self._loss(filled - straddling[:, None])
        loss[:, ~self.batch.allowed.insert] = -np.inf
        return loss

    def _deletion_losses(self, ids: Ids, first: int, last: int) -> Array:
        """Return what the deletion of each position first … last − 1 loses."""
        side = self.width - 1
        padded, places = pad(ids, side), np.arange(first, last)
        parts = np.lib.stride_tricks.sliding_window_view(padded, side)
        before, after, middle = parts[places], parts[places + side + 1], padded[places + side, None]
        held = self.batch.model.context_scores(np.concatenate([before, middle, after], axis=1))
        joined = self.batch.model.context_scores(np.concatenate([before, after], axis=1))
        return self._loss(joined - held)

    # A deletion and an insertion or another deletion nearby.

    def _pairs_with_a_deletion(self) -> Iterator[list[Edit]]:
        if not self.batch.allowed.delete:
            return
        deletions = self.losses[1]
        for t in range(len(self.ids)):
            self._spend()
            shorter = np.delete(self.ids, t)
            low, high = max(0, t - self.width), min(len(shorter), t + self.width)
            if self.batch.allowed.insert.any():
                after = deletions[t] + self._insertion_losses(shorter, low, high + 1)
                for cut, c in np.argwhere(self._open(after)):
                    position = low + int(cut)
                    yield [Edit("delete", t), Edit("insert", position + (position > t), self._symbol(c))]
            after = deletions[t] + self._deletion_losses(shorter, max(low, t), high)  # the other one to the right
            for (place,) in np.argwhere(self._open(after)):
                yield [Edit("delete", t), Edit("delete", max(low, t) + int(place) + 1)]

    # Two insertions nearby.

    def _two_insertions(self) -> Iterator[list[Edit]]:
        allowed = self.batch.allowed.insert
        if not allowed.any():
            return
        side, length = self.width - 1, len(self.ids)
        reference = self._central_symbol(allowed)
        cuts = np.arange(length + 1)
        everywhere = np.broadcast_to(allowed, (length + 1, len(allowed)))
        left, _ = self._replacement_bounds(cuts + side, cuts + side, np.full(length + 1, reference), everywhere)
        insertions = self.losses[0]
        for cut in range(length + 1):
            self._spend()
            longer = np.insert(self.ids, cut, reference + 1)
            low = max(0, cut - self.width + 2)
            pair = insertions[cut, reference] + self._insertion_losses(longer, low, cut + 1)
            gaps = cut - np.arange(low, cut + 1) + 1  # how far left of the second symbol the first one stands
            for row, c in np.argwhere(self._open(pair + left[cut, gaps][:, None])):
                yield from self._expand_insertions(low + int(row), c, cut)

    def _expand_insertions(self, first: int, symbol: np.integer[Any], cut: int) -> Iterator[list[Edit]]:
        """Evaluate all second insertions after a first one to the left."""
        self._spend()
        edit = Edit("insert", first, self._symbol(symbol))
        longer, _ = self._apply(edit)
        after = self.losses[0][first, symbol] + self._insertion_losses(longer, cut + 1, cut + 2)[0]
        for c in np.flatnonzero(self._open(after)):
            yield [edit, Edit("insert", cut, self._symbol(c))]

    def _central_symbol(self, allowed: Mask) -> int:
        """Return the allowed symbol from which all others are cheapest to reach."""
        reach = self.costs.sum(axis=1).max(axis=0).max(axis=1)
        return int(np.where(allowed, reach, np.inf).argmin())
