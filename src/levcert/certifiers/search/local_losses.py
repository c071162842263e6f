"""What edits take from the margins of one text: each alone, and in any context."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

import numpy as np

from levcert.certifiers.base import Array, Batch
from levcert.certifiers.search.budget import Budget
from levcert.certifiers.search.effects_in_parts import all_effects
from levcert.models.edit_effects import EditEffects, pad
from levcert.text.alphabet import Ids, Text
from levcert.text.edits import Edit, Operation
from levcert.text.model_view import typed

Slot = tuple[Literal["cut", "character"], int]  # the cut before a position, or the character there


@dataclass
class LocalLosses:
    """Text number ``index`` of a batch, and the losses of its edits; −∞ stands for what is not allowed.

    A loss is what an edit takes from the margin f_y − f_ŷ, for each class ŷ; −∞ for the label y itself.
    """

    batch: Batch
    index: int
    budget: Budget = field(default_factory=Budget, kw_only=True)

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
    def effects(self) -> EditEffects:
        """The effects of all single edits; raises OutOfBudgetError if there is no time or no room for them."""
        return all_effects(self.batch.model, self.ids, self.budget)

    @cached_property
    def losses(self) -> tuple[Array, Array, Array]:
        """What each single edit takes from the margins: insertions, deletions, substitutions; −∞ if not allowed."""
        effects, allowed = self.effects, self.batch.allowed
        insertions, deletions, substitutions = (
            self.loss(changes) for changes in (effects.insertions, effects.deletions, effects.substitutions)
        )
        insertions[:, ~allowed.insert] = -np.inf
        substitutions[~allowed.replace[self.ids - 1]] = -np.inf
        deletions[~allowed.delete[self.ids - 1]] = -np.inf
        return insertions, deletions, substitutions

    def loss(self, changes: Array) -> Array:
        """Turn changes of scores into losses of margins."""
        loss: Array = changes - changes[..., self.label, None]
        loss[..., self.label] = -np.inf
        return loss

    @cached_property
    def best(self) -> tuple[Array, Array]:
        """The largest loss in each cut, and at each character."""
        insertions, deletions, substitutions = self.losses
        at_characters = np.maximum(deletions, substitutions.max(axis=1, initial=-np.inf))
        return insertions.max(axis=1, initial=-np.inf), at_characters

    def text(self, script: list[Edit]) -> Text | None:
        """Return the text after a script of edits of the ids; None if it cannot be typed."""
        return typed(self.batch.model.alphabet, self.batch.threat, self.batch.texts[self.index], script)

    def symbol(self, number: int | np.integer[Any]) -> Text:
        """Return the symbol with a number, counted from 0."""
        return self.symbols[number]

    @cached_property
    def symbols(self) -> list[Text]:
        alphabet = self.batch.model.alphabet
        return [alphabet.decode([id_]) for id_ in range(1, alphabet.size + 1)]

    def best_edit(self, slot: Slot, other: int) -> Edit:
        """Return the edit in a slot that takes most from the margin to a class."""
        insertions, deletions, substitutions = self.losses
        kind, t = slot
        if kind == "cut":
            c = int(insertions[t, :, other].argmax())
            return Edit(Operation.INSERT, t, self.symbol(c))
        c = int(substitutions[t, :, other].argmax())
        if deletions[t, other] >= substitutions[t, c, other]:
            return Edit(Operation.DELETE, t)
        return Edit(Operation.SUBSTITUTE, t, self.symbol(c))

    def apply(self, edit: Edit) -> tuple[Ids, int]:
        """Return the ids after one edit, and by how much what follows has moved."""
        t = edit.position
        if edit.operation == Operation.DELETE:
            return np.delete(self.ids, t), -1
        symbol = self.batch.model.alphabet.encode(edit.symbol or "")
        if edit.operation == Operation.INSERT:
            return np.insert(self.ids, t, symbol), 1
        changed = self.ids.copy()
        changed[t] = symbol[0]
        return changed, 0

    def substitution_losses(self, ids: Ids, place: int) -> Array:
        """Return what each substitution at a place of some text loses."""
        side = self.width - 1
        at = np.array([place + side])
        filled = self.batch.model.hole_scores(pad(ids, side), at, at + 1)[0]
        return self.loss(filled - filled[ids[place] - 1])

    def insertion_losses(self, left: Ids, right: Ids) -> Array:
        """Return what each insertion between given contexts of R − 1 symbols loses; −∞ if not allowed."""
        side = self.width - 1
        contexts = np.concatenate([left, right], axis=1)
        middles = np.arange(len(left)) * 2 * side + side
        filled = self.batch.model.hole_scores(contexts.reshape(-1), middles, middles)
        loss = self.loss(filled - self.batch.model.context_scores(contexts)[:, None])
        loss[:, ~self.batch.allowed.insert] = -np.inf
        return loss

    def deletion_losses(self, left: Ids, middle: Ids, right: Ids) -> Array:
        """Return what the deletion of a symbol between given contexts loses."""
        held = self.batch.model.context_scores(np.concatenate([left, middle[:, None], right], axis=1))
        joined = self.batch.model.context_scores(np.concatenate([left, right], axis=1))
        return self.loss(joined - held)
