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
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count

import numpy as np

from levcert.alphabet import EncodedTexts, Ids, Text
from levcert.certifiers.base import Array, Batch, is_counterexample
from levcert.certifiers.pairs import UndecidedError
from levcert.edits import Edit
from levcert.spelling import apply_to_original, spelled

_MOST_OPEN = 1_000_000  # nodes that may wait at once: bounds the memory


@dataclass(order=True)
class _Node:
    bound: float
    number: int  # earlier first, so that the order is the same everywhere
    ids: Ids = field(compare=False)
    left: int = field(compare=False)


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
        start = self.batch.encoded[self.index]
        waiting = [_Node(0.0, next(numbers), start, self.distance)]
        reached = {start.tobytes(): self.distance}
        expanded = 0
        while waiting:
            expanded += 1
            late = self.deadline is not None and time.perf_counter() > self.deadline
            if late or (self.nodes is not None and expanded > self.nodes) or len(waiting) > _MOST_OPEN:
                raise UndecidedError
            node = heapq.heappop(waiting)
            for bound, child in self._children(node):
                script = self._counterexample(child)
                if script is not None:
                    return script
                if node.left > 1 and reached.get(child.tobytes(), 0) < node.left - 1:
                    reached[child.tobytes()] = node.left - 1
                    heapq.heappush(waiting, _Node(bound, next(numbers), child, node.left - 1))
        return None

    def text(self, script: list[Edit]) -> Text:
        """Return the text after a script."""
        return apply_to_original(self.batch.model.alphabet, self.batch.texts[self.index], script)

    def _children(self, node: _Node) -> Iterator[tuple[float, Ids]]:
        """Give the texts one edit further that cannot be pruned, most endangered first."""
        model, allowed, y = self.batch.model, self.batch.allowed, int(self.batch.best[self.index])
        scores = model.encoded_scores(_single(node.ids))[0]
        margins = scores[y] - scores
        margins[y] = np.inf
        effects = model.edit_effects(node.ids)
        # What the edits after the next one may take; without a bound (an infinite cost) nothing can be pruned.
        slack = (node.left - 1) * self.costs if node.left > 1 else np.zeros_like(self.costs)
        slack[y] = 0
        after = []
        for changes in (effects.insertions, effects.deletions[:, None], effects.substitutions):
            left = margins + (changes[..., y, None] - changes)
            left[..., y] = np.inf
            after.append(left - slack)
        after[0][:, ~allowed.insert] = np.inf
        after[2][~allowed.replace[node.ids - 1]] = np.inf
        if not allowed.delete:
            after[1][:] = np.inf
        found = []
        for operation, bounds in enumerate(after):
            least = bounds.min(axis=-1)
            for t, c in np.argwhere(least <= 4 * self.batch.allowance[self.index]):
                found.append((float(least[t, c]), operation, int(t), int(c)))
        for bound, operation, t, c in sorted(found):
            yield bound, _edited(node.ids, operation, t, c + 1)

    def _counterexample(self, ids: Ids) -> list[Edit] | None:
        """Return the script that leads to these ids, if it is allowed, short enough and changes the label."""
        batch = self.batch
        model, text = batch.model, batch.texts[self.index]
        label = int(batch.best[self.index])
        scores = model.encoded_scores(_single(ids))[0]
        if np.delete(scores, label).max() < scores[label]:
            return None
        script = batch.threat.script(spelled(model.alphabet, text), model.alphabet.decode(ids), model.alphabet)
        if script is None or len(script) > self.distance:
            return None
        changed = apply_to_original(model.alphabet, text, script)
        return script if is_counterexample(model, changed, label) else None


def _single(ids: Ids) -> EncodedTexts:
    return EncodedTexts(ids, np.array([0, len(ids)], dtype=np.int64))


def _edited(ids: Ids, operation: int, t: int, symbol: int) -> Ids:
    if operation == 0:
        return np.insert(ids, t, symbol).astype(np.int32)
    if operation == 1:
        return np.delete(ids, t)
    changed = ids.copy()
    changed[t] = symbol
    return changed
