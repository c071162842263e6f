"""Every single edit of a text, evaluated: the worst one, and whether it changes the label."""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from levcert.certifiers.base import Array, Batch, edited_text, is_counterexample
from levcert.certifiers.search.local_losses import LocalLosses
from levcert.models.edit_effects import EditEffects
from levcert.text.alphabet import Text
from levcert.text.edits import Operation

_EFFECTS_AT_ONCE = 1 << 20  # bounds the memory for long texts and large alphabets


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
                if is_counterexample(text, batch, index):
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
