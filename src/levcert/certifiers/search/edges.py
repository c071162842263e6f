"""Near edges as columns, the longest paths through them, and what is known of them from smaller numbers of edits."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from levcert.certifiers.search.budget import OutOfBudgetError
from levcert.certifiers.search.layers import Layers
from levcert.kernels.search.edges import ORDER, around, connect, surviving_edges, sweep_backward, sweep_forward
from levcert.kernels.search.ground import Numbers

Columns = npt.NDArray[np.int32]

_PLACE = np.argsort(ORDER)  # of a kind in the order of paths
_ROOM = 1 << 15
_MOST_EDGES = 1 << 21  # bounds the memory: about 60 bytes each


@dataclass(frozen=True)
class Paths:
    """Longest paths in doubled units: the best of all, and the arrays of levcert.kernels.search.edges."""

    best: int
    closed: Numbers
    depart: Numbers
    opened: Numbers


@dataclass
class Edges:
    """Edges in the order of paths: their columns, bounds in doubled units, 1 where exact, and then the two symbols.

    ``elsewhere[x]`` is the most, doubled, that a script through edge x loses around it.
    """

    far: int
    columns: Columns
    values: Numbers
    exact: Columns
    symbols: Columns
    elsewhere: Numbers
    source: Columns
    target: Columns
    nodes: int

    @classmethod
    def surviving(cls, layers: Layers, k: int, margin: int) -> Edges:
        """Return the near edges that chains cannot rule out for k edits, sorted by their keys."""
        enter, leave, _ = layers.reach_forward(k)
        rest, follow, _ = layers.reach_backward(k)
        room = _ROOM
        while True:
            columns, (values, elsewhere) = np.empty((room, 6), dtype=np.int32), np.empty((2, room), dtype=np.int64)
            count = surviving_edges(
                k, margin, layers.possible, layers.lone, layers.destroyed, layers.shared, enter, leave, rest, follow,
                columns, layers.budget.stop, values, elsewhere,
            )  # fmt: skip
            layers.budget.check()
            if count <= room:
                break
            if count > _MOST_EDGES:
                raise OutOfBudgetError(f"more than {_MOST_EDGES:,} pairs of near edits may change the label")
            room = count
        columns, values, elsewhere = columns[:count], values[:count], elsewhere[:count]
        source, target = np.empty((2, count), dtype=np.int32)
        nodes = connect(columns, layers.slots, layers.far, source, target)
        nothing = np.zeros(count, dtype=np.int32)
        symbols = np.zeros((count, 2), dtype=np.int32)
        return cls(layers.far, columns, values, nothing, symbols, elsewhere, source, target, nodes)

    def keep(self, mask: npt.NDArray[np.bool_]) -> Edges:
        """Return some of the edges; nodes keep their numbers."""
        return Edges(
            self.far, self.columns[mask], self.values[mask], self.exact[mask], self.symbols[mask],
            self.elsewhere[mask], self.source[mask], self.target[mask], self.nodes,
        )  # fmt: skip

    @property
    def keys(self) -> Numbers:
        """One number for each edge, the same for every k; edges are sorted by it."""
        return edge_keys(self.columns, self.far)

    def isolated(self, rows: npt.NDArray[np.int64] | slice = slice(None)) -> npt.NDArray[np.bool_]:
        """Say which edges are clusters of two edits."""
        alone: npt.NDArray[np.bool_] = (self.columns[rows, 4] == self.far) & (self.columns[rows, 5] == self.far)
        return alone

    def sweep(self, layers: Layers, single: Numbers, k: int) -> Paths:
        """Find the longest paths of at most k edits with the present values, and what they lose around each edge."""
        arrive, depart = np.empty((2, self.nodes, k + 1), dtype=np.int64)
        closed, opened = np.empty((2, layers.slots + layers.far, k + 1), dtype=np.int64)
        closed = closed[: layers.slots]
        joined = (self.columns, self.values, self.source, self.target)
        sweep_forward(single, layers.destroyed, *joined, arrive, closed)
        sweep_backward(single, layers.destroyed, *joined, depart, opened)
        around(
            k, layers.destroyed, self.columns, self.source, self.target, arrive, closed, depart, opened, self.elsewhere
        )
        return Paths(int(closed[-1, k]), closed, depart, opened)


def edge_keys(columns: Columns, far: int) -> Numbers:
    """Number edges so that the numbers rise in the order of paths."""
    kind, t, gap, second, left, right = columns.astype(np.int64).T
    width = far + 1
    first, then = _PLACE[kind], _PLACE[second]
    keys: Numbers = ((((t * 3 + first) * width + gap) * width + far - left) * 3 + then) * width + right
    return keys


@dataclass
class RefinedEdges:
    """Values of refined edges, for the next k: they stay upper bounds, and exact ones stay exact."""

    parts: list[tuple[Numbers, Numbers, Columns, Columns]] = field(default_factory=list)

    def add(self, edges: Edges, rows: npt.NDArray[np.int64]) -> None:
        rows = np.sort(rows)
        keys = edge_keys(edges.columns[rows], edges.far)
        self.parts.append((keys, edges.values[rows], edges.exact[rows], edges.symbols[rows]))

    def apply(self, edges: Edges) -> None:
        """Give edges the values that are known, later ones last."""
        if not self.parts:
            return
        keys = edges.keys
        for known, values, exact, symbols in self.parts:
            at = np.searchsorted(keys, known)
            here = at < len(keys)
            here[here] = keys[at[here]] == known[here]
            rows = at[here]
            edges.values[rows] = np.minimum(edges.values[rows], values[here])
            edges.exact[rows], edges.symbols[rows] = exact[here], symbols[here]
