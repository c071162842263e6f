"""The n-grams of a vocabulary as a trie; see levcert.kernels.ngram_trie for the layout."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Nodes = npt.NDArray[np.int32]


@dataclass(frozen=True)
class Trie:
    """``begin[v]`` … ``begin[v + 1] − 1`` are the children of v, ``symbol[v]`` leads to v, ``row[v]`` is its row."""

    begin: Nodes
    symbol: Nodes
    row: Nodes
    width: int  # length of the longest n-gram

    @classmethod
    def of(cls, grams: npt.NDArray[np.int32]) -> Trie:
        """Build the trie of n-grams, one in each row of ids, filled up with zeros; its rows are theirs."""
        count, width = grams.shape
        lengths = (grams != 0).sum(axis=1)
        base = int(grams.max(initial=0)) + 1
        nodes = np.zeros(count, dtype=np.int64)  # the node of each n-gram's prefix so far
        symbols, parents, rows = [np.zeros(1, dtype=np.int64)], [np.full(1, -1)], [np.full(1, -1)]
        total = 1
        for depth in range(width):
            longer = np.flatnonzero(lengths > depth)
            keys, which = np.unique(nodes[longer] * base + grams[longer, depth], return_inverse=True)
            nodes[longer] = total + which
            row = np.full(len(keys), -1)
            ends = longer[lengths[longer] == depth + 1]
            row[nodes[ends] - total] = ends
            symbols.append(keys % base)
            parents.append(keys // base)
            rows.append(row)
            total += len(keys)
        parent = np.concatenate(parents)
        begin = np.searchsorted(parent[1:], np.arange(total + 1)) + 1
        return cls(
            begin.astype(np.int32),
            np.concatenate(symbols).astype(np.int32),
            np.concatenate(rows).astype(np.int32),
            width,
        )
