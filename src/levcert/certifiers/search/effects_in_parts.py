"""The effects of all single edits of a text, some positions at a time: in bounded memory, with checks of the clock."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Final

import numpy as np

from levcert.certifiers.search.budget import Budget, OutOfBudgetError
from levcert.models.edit_effects import EditEffects
from levcert.models.window import WindowModel
from levcert.text.alphabet import Ids

MOST_EFFECTS: Final = 1 << 24  # numbers that are kept for one text; searches make a few copies of them
_AT_ONCE: Final = 1 << 20
_FIRST_POSITIONS: Final = 16
_SECONDS: Final = 0.05  # between two looks at the clock


def effects_size(model: WindowModel, length: int) -> int:
    """Return how many numbers the effects of all edits of a text are."""
    return 2 * (length + 1) * model.alphabet.size * model.classes


def effects_in_parts(model: WindowModel, ids: Ids, budget: Budget) -> Iterator[tuple[int, EditEffects]]:
    """Give first positions and the effects of edits there and after; raise OutOfBudgetError when the time is over.

    What an edit does is the same however the positions are divided.
    """
    most = max(1, _AT_ONCE // (model.alphabet.size * model.classes))
    step = most if budget.deadline is None else min(most, _FIRST_POSITIONS)
    first = 0
    while first <= len(ids):
        last, started = min(first + step, len(ids) + 1), time.perf_counter()
        yield first, model.edit_effects(ids, first, last)
        budget.check()
        if budget.deadline is not None:
            taken = max(time.perf_counter() - started, 1e-6)
            step = int(min(most, max(1, step * min(4.0, _SECONDS / taken))))
        first = last


def all_effects(model: WindowModel, ids: Ids, budget: Budget) -> EditEffects:
    """Return the effects of all edits; raise OutOfBudgetError if there is no time or no room for them."""
    if effects_size(model, len(ids)) > MOST_EFFECTS:
        raise OutOfBudgetError(f"too long for the exact search ({len(ids):,} symbols)")
    return joined([effects for _, effects in effects_in_parts(model, ids, budget)])


def joined(parts: list[EditEffects]) -> EditEffects:
    """Put the effects of consecutive positions together."""
    if len(parts) == 1:
        return parts[0]
    names = ("insertions", "deletions", "substitutions")
    return EditEffects(*(np.concatenate([getattr(part, name) for part in parts]) for name in names))
