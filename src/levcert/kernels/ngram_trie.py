"""N-grams in a trie: the walk that finds all n-grams that begin somewhere, and the scores of whole texts.

Nodes are numbered breadth first, so the children of a node are neighbours, in the order of their symbols: those of node
v are ``begin[v]`` … ``begin[v + 1] − 1``.  ``row[v]`` is the n-gram's row in the table of weights, or −1.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from levcert.kernels.compile import kernel

Floats = npt.NDArray[np.float64]
Nodes = npt.NDArray[np.int32]
Positions = npt.NDArray[np.int64]


@kernel
def child(begin: Nodes, symbol: Nodes, node: int, wanted: int) -> int:
    """Return the child of a node by a symbol, or −1."""
    low = begin[node]
    high = begin[node + 1]
    while low < high:
        middle = (low + high) >> 1
        if symbol[middle] < wanted:
            low = middle + 1
        else:
            high = middle
    return low if low < begin[node + 1] and symbol[low] == wanted else -1


@kernel
def rows_of_text(begin: Nodes, symbol: Nodes, row: Nodes, width: int, ids: Nodes, found: Positions) -> int:
    """Write the rows of all n-grams of a text, and return how many there are; ``found`` has room for length · width."""
    count = 0
    for start in range(len(ids)):
        node = 0
        for position in range(start, min(start + width, len(ids))):
            node = child(begin, symbol, node, ids[position])
            if node < 0:
                break
            if row[node] >= 0:
                found[count] = row[node]
                count += 1
    return count


@kernel
def score_texts(
    begin: Nodes, symbol: Nodes, row: Nodes, width: int, ids: Nodes, offsets: Positions,
    weights: Floats, idf: Floats, intercept: Floats, norm: int, scores: Floats,
) -> None:  # fmt: skip
    """Score texts in the order of additions that scikit-learn has: by rising row, the constant last.

    ``norm`` is 0, 1 or 2; an empty ``idf`` is a factor of 1.
    """
    longest = 0
    for text in range(len(offsets) - 1):
        longest = max(longest, offsets[text + 1] - offsets[text])
    found = np.empty(longest * width + 1, dtype=np.int64)
    values = np.empty(longest * width + 1)
    for text in range(len(offsets) - 1):
        part = ids[offsets[text] : offsets[text + 1]]
        count = rows_of_text(begin, symbol, row, width, part, found)
        found[:count].sort()
        distinct = 0
        at = 0
        while at < count:
            end = at
            while end < count and found[end] == found[at]:
                end += 1
            value = float(end - at)
            if len(idf):
                value *= idf[found[at]]
            found[distinct] = found[at]
            values[distinct] = value
            distinct += 1
            at = end
        if norm:
            size = 0.0
            for n in range(distinct):
                size += values[n] * values[n] if norm == 2 else abs(values[n])
            if norm == 2:
                size = np.sqrt(size)
            if size != 0:
                for n in range(distinct):
                    values[n] /= size
        for y in range(weights.shape[1]):
            total = 0.0
            for n in range(distinct):
                total += values[n] * weights[found[n], y]
            scores[text, y] = total + intercept[y]
