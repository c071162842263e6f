"""N-grams of a string with holes: walks through the trie that branch where a symbol may be chosen.

A hole is a negative number among the ids.  For each symbol c that may fill it, ``made[c]`` is the sum of the weights,
``squares[c]`` that of the squared factors of all n-grams that contain it.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from levcert.kernels.compile import kernel
from levcert.kernels.ngram_trie import child

Floats = npt.NDArray[np.float64]
Nodes = npt.NDArray[np.int32]
Flags = npt.NDArray[np.bool_]


@kernel
def add_from(
    begin: Nodes, symbol: Nodes, row: Nodes, text: Nodes, filled: int, hole: int, until: int,
    kept: Floats, factors: Floats, made: Floats, squares: Floats,
) -> None:  # fmt: skip
    """Add up the n-grams that go through the node ``filled`` at a hole, for its symbol, and end before ``until``."""
    c = symbol[filled]
    node = filled
    at = hole
    while True:
        if row[node] >= 0:
            made[c] += kept[row[node]]
            squares[c] += factors[row[node]] ** 2
        at += 1
        if at >= until:
            break
        node = child(begin, symbol, node, text[at])
        if node < 0:
            break


@kernel
def hole_sums(
    begin: Nodes, symbol: Nodes, row: Nodes, text: Nodes, first: int, hole: int, until: int,
    kept: Floats, factors: Floats, made: Floats, squares: Floats,
) -> None:  # fmt: skip
    """Add up the n-grams that contain the hole, begin at ``first`` or later and end before ``until``."""
    for start in range(first, hole + 1):
        node = 0
        for i in range(start, hole):
            node = child(begin, symbol, node, text[i])
            if node < 0:
                break
        if node < 0:
            continue
        for filled in range(begin[node], begin[node + 1]):
            add_from(begin, symbol, row, text, filled, hole, until, kept, factors, made, squares)


@kernel
def row_of_both(
    begin: Nodes, symbol: Nodes, row: Nodes, text: Nodes, length: int, first: int, second: int, c: int,
    nodes: Nodes, kept: Floats, factors: Floats, made: Floats, squares: Floats, touched: Nodes,
) -> int:  # fmt: skip
    """Add to made[c₂] and squares[c₂] the n-grams that contain both holes, the first filled by c.

    ``nodes[start]`` is the node of the symbols from a position to the first hole, or −1.  Return how many c₂ there are.
    """
    count = 0
    for start in range(first + 1):
        node = nodes[start]
        if node < 0:
            continue
        node = child(begin, symbol, node, c)
        for i in range(first + 1, second):
            if node < 0:
                break
            node = child(begin, symbol, node, text[i])
        if node < 0:
            continue
        for filled in range(begin[node], begin[node + 1]):
            other = symbol[filled]
            if squares[other] == 0:
                touched[count] = other
                count += 1
                squares[other] = 2.0**-1000  # marks it
            add_from(begin, symbol, row, text, filled, second, length, kept, factors, made, squares)
    return count


@kernel
def without_holes(
    begin: Nodes, symbol: Nodes, row: Nodes, text: Nodes, length: int, low: int, high: int, kept: Floats,
    factors: Floats, holes: int,
) -> tuple[float, float]:  # fmt: skip
    """Return the weight of the n-grams without a hole that touch low … high − 1, and a bound of their squares."""
    total = 0.0
    squares = 0.0
    for start in range(high):
        if text[start] < 0:
            continue
        same = holes
        for i in range(length):
            same += text[i] == text[start]
        node = 0
        for end in range(start, length):
            if text[end] < 0:
                break
            node = child(begin, symbol, node, text[end])
            if node < 0:
                break
            if end >= low and row[node] >= 0:
                total += kept[row[node]]
                squares += same * factors[row[node]] ** 2
    return total, squares


@kernel
def best_below(begin: Nodes, row: Nodes, kept: Floats, factors: Floats, curve: float, most: int, best: Floats) -> None:
    """Write for each node what the n-grams on a path down from it can take at most, each at most ``most`` times."""
    for node in range(len(begin) - 2, -1, -1):
        best[node] = 0
        for below in range(begin[node], begin[node + 1]):
            value = best[below]
            if row[below] >= 0:
                value += curve * most * factors[row[below]] ** 2 - kept[row[below]]
            best[node] = max(best[node], value)


@kernel
def nodes_before(begin: Nodes, symbol: Nodes, text: Nodes, first: int, hole: int, best: Floats, nodes: Nodes) -> float:
    """Write the node of the symbols from each position from ``first`` on up to a hole, or −1.

    Return what all n-grams that begin there and contain the hole can take at most.
    """
    total = 0.0
    for start in range(first, hole + 1):
        node = 0
        for i in range(start, hole):
            node = child(begin, symbol, node, text[i])
            if node < 0:
                break
        nodes[start] = node
        if node >= 0:
            total += best[node]
    return total


@kernel
def beside_space(text: Nodes, length: int, hole: int, is_space: Flags) -> bool:
    """Whether white space stands next to a hole (−1: there is none)."""
    if hole < 0:
        return False
    before = hole > 0 and text[hole - 1] > 0 and is_space[text[hole - 1]]
    return bool(before or (hole + 1 < length and text[hole + 1] > 0 and is_space[text[hole + 1]]))


@kernel
def occurrences(text: Nodes, length: int, c: int) -> int:
    """Return how often a symbol occurs if it also fills one hole."""
    same = 1
    for i in range(length):
        same += text[i] == c
    return same


@kernel
def made_to_losses(
    text: Nodes, length: int, allowed: Flags, is_space: Flags, blocked: bool, curve: float, made: Floats,
    squares: Floats,
) -> float:  # fmt: skip
    """Turn sums of what is made into losses, −∞ for what may not fill the hole, and return the largest."""
    largest = -np.inf
    made[0] = -np.inf
    for c in range(1, len(made)):
        if not allowed[c] or (blocked and is_space[c]):
            made[c] = -np.inf
        elif curve > 0:
            made[c] = curve * occurrences(text, length, c) * squares[c] - made[c]
        else:
            made[c] = -made[c]
        largest = max(largest, made[c])
    return largest
