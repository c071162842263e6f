"""One other class: whether some k edits let it win, by longest paths whose edges are lowered where it matters.

Everything that is kept between calls stays true for every k: layers of chains, and values of edges that were refined.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt

from levcert.certifiers.search.budget import Budget, OutOfBudgetError
from levcert.certifiers.search.clusters import NO_CLUSTERS, Clusters, Move, best_script
from levcert.certifiers.search.edges import Edges, RefinedEdges
from levcert.certifiers.search.ground import TextGround
from levcert.certifiers.search.layers import Layers
from levcert.kernels.search.clusters import exact_clusters
from levcert.kernels.search.ground import Ground, Numbers
from levcert.kernels.search.packing import single_losses
from levcert.kernels.search.pairs import refine_edges

_FIRST_BATCH = 32  # edges that are refined at first; then twice as many each time
_LARGEST_BATCH = 4096  # between two looks at the clock
_MOST_CLUSTERS = 100_000


@dataclass
class ClassSearch:
    """The search for edits that make ``other`` win."""

    text: TextGround
    other: int
    budget: Budget
    refined: RefinedEdges = field(default_factory=RefinedEdges)
    refinements: int = 0  # edges
    whole_clusters: int = 0  # times that clusters of three and more edits had to be looked at

    @cached_property
    def ground(self) -> Ground:
        return self.text.against(self.other)

    @cached_property
    def margin(self) -> int:
        return self.text.margins[self.other]

    @cached_property
    def layers(self) -> Layers:
        possible, gains, destroyed = self.text.tables
        return Layers.of(self.ground, possible, gains[self.other], destroyed[self.other], self.budget)

    @cached_property
    def single(self) -> Numbers:
        """What the worst edit of each kind and place loses on its own."""
        layers = self.layers
        single = np.empty(layers.possible.shape, dtype=np.int64)
        single_losses(layers.possible, layers.lone, layers.destroyed, single)
        return single

    def proved_by_chains(self, k: int) -> bool:
        """Say whether the chains of k edits all stay below the margin."""
        return self.layers.total(k) < self.margin

    def far_script(self, edits: int) -> list[Move] | None:
        """Return the fewest single edits far from each other that lose the margin, up to a limit."""
        return best_script(self.ground, self.single, NO_CLUSTERS, edits, self.margin)

    def decide(self, k: int, *, pairs_only: bool = False) -> list[Move] | None:
        """Return k edits or fewer that lose the margin, or None if there are none; raise OutOfBudgetError else.

        Chains of k edits reach the margin, and single edits far from each other do not: that is checked before.
        With ``pairs_only``, clusters of three and more edits are left out, and None proves nothing.
        """
        edges = Edges.surviving(self.layers, k, self.margin)
        if pairs_only:
            edges = edges.keep(edges.isolated())
        self.refined.apply(edges)
        batch = _FIRST_BATCH
        while True:
            self.budget.check()
            edges = edges.keep(edges.elsewhere + edges.values >= 2 * self.margin)
            todo = np.flatnonzero(edges.exact == 0)
            if not len(todo):
                return self._whole_clusters(k, edges)
            totals = edges.elsewhere[todo] + edges.values[todo]
            chosen = todo[np.argsort(-totals, kind="stable")[:batch]]
            batch = min(2 * batch, _LARGEST_BATCH)
            if self._refine(edges, chosen, 2 * self.margin - edges.elsewhere[chosen]):
                script = best_script(self.ground, self.single, self._pairs(edges), k, self.margin)
                if script is not None:
                    return script
            self.budget.walk(len(edges.values) * k)
            if edges.sweep(self.layers, self.single, k).best < 2 * self.margin:
                return None

    def _refine(self, edges: Edges, chosen: npt.NDArray[np.int64], needs: Numbers) -> bool:
        """Lower the values of some edges; say whether new pairs are known exactly."""
        self.budget.spend(len(chosen) * self.ground.insert.size)
        self.refinements += len(chosen)
        refine_edges(
            self.ground, self.layers.destroyed, edges.columns, chosen, needs, edges.values, edges.exact, edges.symbols
        )
        self.budget.check()
        self.refined.add(edges, chosen)
        return bool((edges.exact[chosen].astype(bool) & edges.isolated(chosen)).any())

    def _pairs(self, edges: Edges) -> Clusters:
        """Return the clusters of two edits that are known exactly."""
        far = self.layers.far
        rows: list[tuple[tuple[Move, ...], int]] = []
        for x in np.flatnonzero(edges.exact.astype(bool) & edges.isolated()):
            kind, t, g, second = edges.columns[x, :4].tolist()
            c, d = edges.symbols[x].tolist()
            loss = int(edges.values[x]) // 2 + int(self.layers.destroyed[kind, t, far])
            rows.append((((kind, t, c), (second, t + (kind != 1) + g, d)), loss))
        return Clusters.of(rows)

    def _whole_clusters(self, k: int, edges: Edges) -> list[Move] | None:
        """Decide what is left exactly: clusters of three and more edits, one by one."""
        self.whole_clusters += 1
        # The last sweep, of these edges only: what was dropped is on no path that reaches the margin.
        paths = edges.sweep(self.layers, self.single, k)
        order = np.argsort(edges.source, kind="stable")
        outgoing = order[np.searchsorted(edges.source[order], 0) :].astype(np.int64)
        first_out = np.searchsorted(edges.source[outgoing], np.arange(edges.nodes + 1)).astype(np.int64)
        shapes = np.zeros((_MOST_CLUSTERS, 2 * k), dtype=np.int32)
        symbols = np.zeros((_MOST_CLUSTERS, k), dtype=np.int32)
        sizes, losses = np.zeros((2, _MOST_CLUSTERS), dtype=np.int64)
        count = exact_clusters(
            self.ground, k, 2 * self.margin, self.layers.destroyed, edges.columns, edges.values, edges.source,
            edges.target, outgoing, first_out, paths.closed, paths.depart, paths.opened, self.budget.left,
            shapes, symbols, sizes, losses,
        )  # fmt: skip
        if count < 0:
            self.budget.check()
            raise OutOfBudgetError(f"more than {_MOST_CLUSTERS:,} groups of near edits may change the label")
        pairs = self._pairs(edges)
        rows = list(zip(pairs.moves, pairs.loss.tolist(), strict=True))
        for i in range(count):
            places = shapes[i, : 2 * sizes[i]].reshape(-1, 2).tolist()
            moves = tuple((kind, t, int(c)) for (kind, t), c in zip(places, symbols[i], strict=False))
            rows.append((moves, int(losses[i])))
        return best_script(self.ground, self.single, Clusters.of(rows), k, self.margin)
