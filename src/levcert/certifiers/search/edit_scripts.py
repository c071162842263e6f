"""Any number of edits on any window model: best-first branch and bound over texts.

A node is a text that some edits have led to, with e edits left.  What e edits can still take from its margins is at
most what one of them takes, which is evaluated for all of them, plus (e − 1)·G.  Children whose margins stay
positive even then are pruned.  The node that may fall deepest is expanded first, so counterexamples come early and
a budget of nodes gives the same answer on every machine.

G is local to the text: it bounds deletions and substitutions of *its* symbols, not of those that edits brought.  That
is enough, because every text within k edits is reached by deletions, then substitutions, then insertions, each of
which touches only symbols of the text or none; along that path no node is pruned wrongly.  (A node with the same ids
that was reached on another path with as many edits left continues in the same way.)

It decides short texts and few edits.  For long ones edit_pairs.py (two edits) and far_edits.py (counterexamples) do
better; this search then stops at its budget.
"""

from __future__ import annotations

import heapq
import time
from dataclasses import dataclass, field
from itertools import count

import numpy as np
import numpy.typing as npt

from levcert.certifiers.base import Array, Batch, are_counterexample, is_counterexample
from levcert.certifiers.search.edit_pairs import UndecidedError
from levcert.text.alphabet import EncodedTexts, Ids, Text
from levcert.text.edits import Operation
from levcert.text.model_view import seen_script, typed

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

    def run(self) -> tuple[int, Text] | None:
        """Return a text that has another label and its number of edits, or None; raise UndecidedError out of budget."""
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
                found = self._counterexample(_edited(ids, *edits[row].tolist()))
                if found is not None:
                    return found
            if node.left > 1:
                for bound, edit in zip(bounds.tolist(), edits.tolist(), strict=True):
                    heapq.heappush(waiting, _Node(bound, next(numbers), ids, tuple(edit), node.left - 1))
        return None

    @property
    def tolerance(self) -> float:
        return float(4 * self.batch.allowance[self.index])

    def _children(self, ids: Ids, left: int) -> tuple[Array, Array, npt.NDArray[np.int64]]:
        """Return the edits of a text that cannot be pruned: their bounds, margins, and (operation, position, id)."""
        model, allowed, y = self.batch.model, self.batch.allowed, int(self.batch.best[self.index])
        scores = model.encoded_scores(EncodedTexts.single(ids))[0]
        margins = scores[y] - scores + model.score_unit * (np.arange(model.classes) > y)
        margins[np.isinf(self.batch.margins[self.index])] = np.inf  # of the label, and of all but the target
        # What the edits after the next one may take; without a bound (an infinite cost) nothing can be pruned.
        slack = (left - 1) * self.costs if left > 1 else np.zeros_like(self.costs)
        slack[y] = 0
        effects = model.edit_effects(ids)
        kinds = (
            (Operation.INSERT, effects.insertions, np.broadcast_to(allowed.insert, effects.insertions.shape[:2])),
            (Operation.DELETE, effects.deletions[:, None], allowed.delete[ids - 1, None]),
            (Operation.SUBSTITUTE, effects.substitutions, allowed.replace[ids - 1]),
        )
        parts = []
        for operation, changes, may in kinds:
            after = margins + (changes[..., y, None] - changes)
            after[..., y] = np.inf
            bounds, least = (after - slack).min(axis=-1), after.min(axis=-1)
            t, c = np.nonzero(may & (bounds <= self.tolerance))
            edits = np.stack([np.full(len(t), operation), t, c + 1], axis=1)
            parts.append((bounds[t, c], least[t, c], edits))
        found = [np.concatenate(column) for column in zip(*parts, strict=True)]
        order = np.argsort(found[0], kind="stable")
        return found[0][order], found[1][order], found[2][order]

    def _counterexample(self, ids: Ids) -> tuple[int, Text] | None:
        """Return the text with these ids, if allowed edits lead there, few enough, and it has another label."""
        batch, text, model = self.batch, self.batch.texts[self.index], self.batch.model
        if not are_counterexample(ids, batch, self.index):
            return None
        script = seen_script(model.alphabet, batch.threat, text, model.alphabet.decode(ids), self.distance)
        if script is None:
            return None
        changed = typed(model.alphabet, batch.threat, text, script)
        if changed is None:
            raise UndecidedError  # other edits that lead to the same ids might be ones that can be typed
        return (len(script), changed) if is_counterexample(changed, batch, self.index) else None


def _edited(ids: Ids, operation: int, t: int, symbol: int) -> Ids:
    if operation == Operation.INSERT:
        return np.insert(ids, t, symbol).astype(np.int32)
    if operation == Operation.DELETE:
        return np.delete(ids, t)
    changed = ids.copy()
    changed[t] = symbol
    return changed
