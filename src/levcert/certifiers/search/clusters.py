"""Clusters of edits with known losses, and the script that the best of them make."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from levcert.kernels.search.ground import Ground, Numbers, options
from levcert.kernels.search.lone import alone
from levcert.kernels.search.packing import pack, unpack

Move = tuple[int, int, int]  # kind, position, id of the symbol (0 for a deletion)


@dataclass(frozen=True)
class Clusters:
    """Known clusters of two or more edits, sorted by their ends."""

    first: Numbers
    end: Numbers
    size: Numbers
    loss: Numbers
    moves: list[tuple[Move, ...]]

    @classmethod
    def of(cls, rows: list[tuple[tuple[Move, ...], int]]) -> Clusters:
        """Sort clusters given as moves and loss."""
        rows = sorted(rows, key=lambda row: _end(row[0]))
        columns = [(moves[0][1], _end(moves), len(moves), loss) for moves, loss in rows]
        first, end, size, losses = np.array(columns, dtype=np.int64).reshape(-1, 4).T.copy()
        return cls(first, end, size, losses, [moves for moves, _ in rows])


def _end(moves: tuple[Move, ...]) -> int:
    """Return the first symbol behind a cluster."""
    kind, t, _ = moves[-1]
    return t + (kind != 1)


NO_CLUSTERS = Clusters.of([])


def best_script(ground: Ground, single: Numbers, clusters: Clusters, edits: int, margin: int) -> list[Move] | None:
    """Return the fewest single edits and clusters far from each other that lose the margin, up to ``edits`` edits."""
    far, slots = ground.powers.size - 2, single.shape[1]
    best, choice = np.empty((2, edits + 1, slots), dtype=np.int64)
    pack(single, far, clusters.first, clusters.end, clusters.size, clusters.loss, best, choice)
    enough = np.flatnonzero(best[:, -1] >= margin)
    if not len(enough):
        return None
    parts = np.empty((edits, 2), dtype=np.int64)
    count = unpack(far, clusters.first, clusters.size, choice, int(enough[0]), parts)
    script: list[Move] = []
    for kind, what in parts[:count][::-1].tolist():
        if kind < 3:
            script.append((kind, what, _best_symbol(ground, kind, what)))
        else:
            script.extend(clusters.moves[what])
    return script


def _best_symbol(ground: Ground, kind: int, t: int) -> int:
    """Return the symbol that makes a single edit lose most."""
    brought, gains = np.empty((2, max(ground.insert.size, 1)), dtype=np.int64)
    count = options(ground, kind, t, brought)
    far = ground.powers.size - 2
    alone(ground, kind, t, far, far, brought, count, gains)
    return int(brought[gains[:count].argmax()])
