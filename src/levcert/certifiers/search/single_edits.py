"""Every single edit of a text, evaluated: the worst one, and whether it changes the label."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from levcert.certifiers.base import Array, Batch, edited_text, is_counterexample
from levcert.certifiers.search.budget import OutOfBudgetError
from levcert.certifiers.search.effects_in_parts import MOST_EFFECTS, effects_in_parts, effects_size, joined
from levcert.certifiers.search.local_losses import LocalLosses
from levcert.models.edit_effects import EditEffects
from levcert.text.alphabet import Text
from levcert.text.edits import Operation

_MOST_ASKED = 1 << 28  # symbols of edited texts that the model itself is asked about


def worst_single_edit(local: LocalLosses) -> tuple[Array, Text | None]:
    """Return the least margins over all single edits, and an edited text that changes the label if there is one.

    Margins are computed incrementally and may be off by the allowance; those within it are decided by asking the
    model itself, so the verdict is the one of brute force, bit for bit.  OutOfBudgetError: that takes too long.
    """
    batch, index, margins, y = local.batch, local.index, local.margins, local.label
    tolerance = 2 * batch.allowance[index]
    worst, asked = margins.copy(), 0
    parts: list[EditEffects] | None = []  # for the searches that follow
    if effects_size(batch.model, len(local.ids)) > MOST_EFFECTS:
        parts = None
    for first, effects in effects_in_parts(batch.model, local.ids, local.budget):
        if parts is not None:
            parts.append(effects)
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
                if is_counterexample(text, batch, index):
                    return worst, text
                local.budget.check()
                asked += len(local.ids)
                if asked > _MOST_ASKED:
                    raise OutOfBudgetError("too many edits leave both labels within the rounding of each other")
    if parts is not None:
        local.effects = joined(parts)
    return worst, None


def _allowed_changes(
    batch: Batch, index: int, first: int, effects: EditEffects
) -> Iterator[tuple[Operation, Array, npt.NDArray[np.bool_]]]:
    """Give each operation's effects and which of them the threat allows."""
    allowed = batch.allowed
    symbols = batch.encoded[index][first : first + len(effects.substitutions)]
    if allowed.insert.any():
        yield Operation.INSERT, effects.insertions, np.broadcast_to(allowed.insert, effects.insertions.shape[:2])
    if allowed.delete.any():
        yield Operation.DELETE, effects.deletions, allowed.delete[symbols - 1]
    if allowed.replace.any():
        yield Operation.SUBSTITUTE, effects.substitutions, allowed.replace[symbols - 1]
