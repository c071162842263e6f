"""Any number of edits on any window model: best-first branch and bound over texts.

A node is a text that some edits have led to, with e edits left.  What e edits can still take from its margins is at
most what one of them takes, which is evaluated for all of them, plus (e − 1)·G.  Children whose margins stay
positive even then are pruned.  The node that may fall deepest is expanded first, so counterexamples come early and
a budget of nodes gives the same answer on every machine.

It decides short texts and few edits.  For long ones pairs.py (two edits) and far.py (counterexamples) do better;
this search then stops at its budget.
"""

from __future__ import annotations

import heapq
import time
from dataclasses import dataclass, field
from itertools import count

import numpy as np
import numpy.typing as npt

from levcert.alphabet import EncodedTexts, Ids, Text
from levcert.certifiers.base import Array, Batch, is_counterexample
from levcert.certifiers.pairs import UndecidedError
from levcert.edits import Edit
from levcert.spelling import apply_to_original, spelled

_MOST_OPEN = 1_000_000  # nodes that may wait at once: bounds the memory


@dataclass(order=True)
class _Node:
    """A text one edit away from its parent's; the text is made only when the node is expanded."""

    bound: float
    number: int  # earlier first, so that the order is the same everywhere
    parent: Ids = field(compare=False)
    edit: tuple[int, int, int] | None = field(compare=False)  # operation, position, id of the symbol
    left: int = field(compare=False)

    @property
    def ids(self) -> Ids:
        return self.parent if self.edit is None else _edited(self.parent, *self.edit)


@dataclass
class ScriptSearch:
    """The search for at most ``distance`` edits that change the label of one text; ``costs`` is G for each class."""

    batch: Batch
    index: int
    distance: int
    costs: Array
    nodes: int | None = None
    deadline: float | None = None

    def run(self) -> list[Edit] | None:
        """Return edits that change the label, or None if there are none; raise UndecidedError out of budget."""
        numbers = count()
        waiting = [_Node(0.0, next(numbers), self.batch.encoded[self.index], None, self.distance)]
        reached: dict[bytes, int] = {}
        expanded = 0
        while waiting:
            node = heapq.heappop(waiting)
            ids = node.ids
            if reached.get(ids.tobytes(), 0) >= node.left:
                continue  # another order of the same edits
            reached[ids.tobytes()] = node.left
            expanded += 1
            late = self.deadline is not None and time.perf_counter() > self.deadline
            if late or (self.nodes is not None and expanded > self.nodes) or len(waiting) > _MOST_OPEN:
                raise UndecidedError
            bounds, margins, edits = self._children(ids, node.left)
            for row in np.flatnonzero(margins <= self.tolerance):
                script = self._counterexample(_edited(ids, *edits[row].tolist()))
                if script is not None:
                    return script
            if node.left > 1:
                for bound, edit in zip(bounds.tolist(), edits.tolist(), strict=True):
                    heapq.heappush(waiting, _Node(bound, next(numbers), ids, tuple(edit), node.left - 1))
        return None

    @property
    def tolerance(self) -> float:
        return float(4 * self.batch.allowance[self.index])

    def text(self, script: list[Edit]) -> Text:
        """Return the text after a script."""
        return apply_to_original(self.batch.model.alphabet, self.batch.texts[self.index], script)

    def _children(self, ids: Ids, left: int) -> tuple[Array, Array, npt.NDArray[np.int64]]:
        """Return the edits of a text that cannot be pruned: their bounds, margins, and (operation, position, id)."""
        model, allowed, y = self.batch.model, self.batch.allowed, int(self.batch.best[self.index])
        scores = model.encoded_scores(EncodedTexts.single(ids))[0]
        margins = scores[y] - scores
        margins[y] = np.inf
        # What the edits after the next one may take; without a bound (an infinite cost) nothing can be pruned.
        slack = (left - 1) * self.costs if left > 1 else np.zeros_like(self.costs)
        slack[y] = 0
        effects = model.edit_effects(ids)
        permitted = (
            np.broadcast_to(allowed.insert, effects.insertions.shape[:2]),
            np.full((len(ids), 1), allowed.delete),
            allowed.replace[ids - 1],
        )
        parts = []
        changes_of = (effects.insertions, effects.deletions[:, None], effects.substitutions)
        for operation, (changes, may) in enumerate(zip(changes_of, permitted, strict=True)):
            after = margins + (changes[..., y, None] - changes)
            after[..., y] = np.inf
            bounds, least = (after - slack).min(axis=-1), after.min(axis=-1)
            t, c = np.nonzero(may & (bounds <= self.tolerance))
            edits = np.stack([np.full(len(t), operation), t, c + 1], axis=1)
            parts.append((bounds[t, c], least[t, c], edits))
        found = [np.concatenate(column) for column in zip(*parts, strict=True)]
        order = np.argsort(found[0], kind="stable")
        return found[0][order], found[1][order], found[2][order]

    def _counterexample(self, ids: Ids) -> list[Edit] | None:
        """Return the script that leads to these ids, if it is allowed, short enough and changes the label."""
        batch = self.batch
        model, text = batch.model, batch.texts[self.index]
        label = int(batch.best[self.index])
        scores = model.encoded_scores(EncodedTexts.single(ids))[0]
        if np.delete(scores, label).max() < scores[label]:
            return None
        script = batch.threat.script(spelled(model.alphabet, text), model.alphabet.decode(ids), model.alphabet)
        if script is None or len(script) > self.distance:
            return None
        changed = apply_to_original(model.alphabet, text, script)
        return script if is_counterexample(model, changed, label) else None


def _edited(ids: Ids, operation: int, t: int, symbol: int) -> Ids:
    if operation == 0:
        return np.insert(ids, t, symbol).astype(np.int32)
    if operation == 1:
        return np.delete(ids, t)
    changed = ids.copy()
    changed[t] = symbol
    return changed
