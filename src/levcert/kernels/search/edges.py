"""The near edges that can still matter, and longest paths over them in doubled units.

A near edge joins two consecutive edits with g ≤ R − 2 kept symbols between; l symbols are kept before the first, r
behind the second.  An inner edit belongs to two edges of its cluster, so everything is counted twice: what an edit's
own n-grams gain once in each of its two edges, or twice in the only one (Theorem "Halves", docs/exact-radius.md).

Columns of an edge: kind and t of the first edit, g, kind of the second, l, r.  A **node** is an edit between two near
edges; an edge with l = R − 1 begins a cluster and has no node before it, one with r = R − 1 ends it.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from levcert.kernels.compile import kernel
from levcert.kernels.search.ground import DELETION, INSERTION, NEVER, SUBSTITUTION, Bits, Mask, Numbers, next_symbol
from levcert.kernels.search.lone import Gains

Columns = npt.NDArray[np.int32]

ORDER = (INSERTION, SUBSTITUTION, DELETION)  # of edits at one place: insertions stand before the symbol


@kernel
def surviving_edges(
    k: int,
    margin: int,
    possible: Mask,
    lone: Gains,
    destroyed: Gains,
    shared: Numbers,
    enter: Numbers,
    leave: Numbers,
    rest: Numbers,
    follow: Numbers,
    edges: Columns,
    stop: Bits,
    values: Numbers,
    elsewhere: Numbers,
) -> int:
    """List the near edges of scripts whose chain reaches the margin within k edits.

    ``values`` are what chains give them and ``elsewhere`` what chains give the best script around them, both doubled.
    Return how many there are; only as many as there is room for are written.  They come in the order of paths: an edge
    into a node stands before those that leave it.  (Several insertions can stand in one cut; only the edge between two
    insertions with an insertion at either side enters the node that it leaves.)
    """
    _, slots, far = lone.shape[:3]
    far -= 1
    count = 0
    likely = np.empty(3, np.bool_)
    for t in range(slots):
        if stop[0]:
            return 0
        for kind in ORDER:
            if not possible[kind, t]:
                continue
            for g in range(far):
                second_t = next_symbol(kind, t) + g
                if second_t >= slots:
                    break
                some = False
                for second in range(3):
                    likely[second] = possible[second, second_t]
                    if g == 0 and kind == DELETION and second == INSERTION:
                        likely[second] = False
                    if likely[second]:
                        need = margin - np.int64(destroyed[second, second_t, g])
                        likely[second] = _most(k, leave[:, kind, t, g], rest[:, second, second_t, g]) >= need
                    some |= likely[second]
                if not some:
                    continue
                for left in range(far, -1, -1):
                    first = np.int64(lone[kind, t, left, g])
                    for second in ORDER:
                        if not likely[second]:
                            continue
                        between = shared[kind, left, g] + np.int64(destroyed[second, second_t, g])
                        need = margin - first - between
                        if _most(k, enter[:, kind, t, left], rest[:, second, second_t, g]) < need:
                            continue
                        for right in range(far + 1):
                            mine = np.int64(lone[second, second_t, g, right])
                            total = first + between + mine + shared[second, g, right]
                            total += _most(k - 1, enter[:, kind, t, left], follow[:, second, second_t, right])
                            if total >= margin:
                                if count < values.size:
                                    edges[count, 0], edges[count, 1], edges[count, 2] = kind, t, g
                                    edges[count, 3], edges[count, 4], edges[count, 5] = second, left, right
                                    values[count] = (
                                        (2 if left == far else 1) * first
                                        + 2 * between
                                        + (2 if right == far else 1) * mine
                                    )
                                    elsewhere[count] = 2 * total - values[count]
                                count += 1
    return count


@kernel
def _most(k: int, before: Numbers, after: Numbers) -> int:
    """Return the largest before[e] + after[k − e], e ≥ 1."""
    most = NEVER
    for e in range(1, k + 1):
        most = max(most, before[e] + after[k - e])
    return most


@kernel
def connect(edges: Columns, slots: int, far: int, source: Columns, target: Columns) -> int:
    """Number the nodes: source[x] and target[x] are those that edge x joins, or −1; return how many there are."""
    numbers = np.full(3 * slots * far * far, -1, np.int32)
    nodes = 0
    for x in range(edges.shape[0]):
        source[x], target[x] = -1, -1
        kind, t, g, second, left, right = edges[x]
        if left < far:
            key = ((t * 3 + kind) * far + left) * far + g
            if numbers[key] < 0:
                numbers[key] = nodes
                nodes += 1
            source[x] = numbers[key]
        if right < far:
            key = (((next_symbol(kind, t) + g) * 3 + second) * far + g) * far + right
            if numbers[key] < 0:
                numbers[key] = nodes
                nodes += 1
            target[x] = numbers[key]
    return nodes


@kernel
def sweep_forward(
    single: Numbers,
    destroyed: Gains,
    edges: Columns,
    values: Numbers,
    source: Columns,
    target: Columns,
    arrive: Numbers,
    closed: Numbers,
) -> None:
    """arrive[node, e] and closed[s, e]: the most, doubled, that at most e edits lose up to a node, or ending before s.

    One slot after the other, all numbers of edits together.
    """
    slots, edits, far = closed.shape[0], closed.shape[1] - 1, destroyed.shape[2] - 1
    arrive[:] = NEVER
    closed[:] = 0
    nothing = np.zeros(edits + 1, np.int64)
    x = 0
    for t in range(slots):
        if t:  # all that ends before t − 1 is known
            for e in range(1, edits + 1):
                closed[t - 1, e] = max(closed[t - 1, e], closed[t - 1, e - 1], closed[t - 2, e] if t > 1 else 0)
        for kind in range(3):
            if single[kind, t] > NEVER:
                end, loss = next_symbol(kind, t), 2 * single[kind, t]
                for e in range(1, edits + 1):
                    total = loss + (closed[t - far, e - 1] if t >= far else 0)
                    closed[end, e] = max(closed[end, e], total)
        while x < values.size and edges[x, 1] == t:
            if source[x] >= 0:
                before, shift, value = arrive[source[x]], 1, values[x]
            else:
                before, shift = closed[t - far] if t >= far else nothing, 2
                value = values[x] + 2 * np.int64(destroyed[edges[x, 0], t, far])
            into = arrive[target[x]] if target[x] >= 0 else closed[second_end(edges, x)]
            for e in range(shift, edits + 1):
                into[e] = max(into[e], before[e - shift] + value)
            x += 1
    for e in range(1, edits + 1):
        closed[slots - 1, e] = max(
            closed[slots - 1, e], closed[slots - 1, e - 1], closed[slots - 2, e] if slots > 1 else 0
        )


@kernel
def sweep_backward(
    single: Numbers,
    destroyed: Gains,
    edges: Columns,
    values: Numbers,
    source: Columns,
    target: Columns,
    depart: Numbers,
    opened: Numbers,
) -> None:
    """depart[node, e] and opened[p, e]: the most, doubled, that at most e edits lose after a node, or from p on.

    ``opened`` has R − 1 slots more than the text, where nothing is left to edit.
    """
    slots, edits, far = single.shape[1], opened.shape[1] - 1, destroyed.shape[2] - 1
    depart[:] = NEVER
    opened[:] = 0
    x = values.size - 1
    for t in range(slots - 1, -1, -1):
        for kind in range(3):
            if single[kind, t] > NEVER:
                behind, loss = opened[next_symbol(kind, t) + far], 2 * single[kind, t]
                for e in range(1, edits + 1):
                    opened[t, e] = max(opened[t, e], loss + behind[e - 1])
        while x >= 0 and edges[x, 1] == t:
            behind = depart[target[x]] if target[x] >= 0 else opened[second_end(edges, x) + far]
            if source[x] >= 0:
                into, shift, value = depart[source[x]], 1, values[x]
            else:
                into, shift = opened[t], 2
                value = values[x] + 2 * np.int64(destroyed[edges[x, 0], t, far])
            for e in range(shift, edits + 1):
                into[e] = max(into[e], behind[e - shift] + value)
            x -= 1
        for e in range(1, edits + 1):
            opened[t, e] = max(opened[t, e], opened[t, e - 1], opened[t + 1, e] if t + 1 < slots else 0)


@kernel
def around(
    k: int,
    destroyed: Gains,
    edges: Columns,
    source: Columns,
    target: Columns,
    arrive: Numbers,
    closed: Numbers,
    depart: Numbers,
    opened: Numbers,
    most: Numbers,
) -> None:
    """most[x] = the most, doubled, that a script of at most k edits through edge x loses elsewhere."""
    far = destroyed.shape[2] - 1
    nothing = np.zeros(k + 1, np.int64)
    for x in range(most.size):
        t = edges[x, 1]
        after = depart[target[x]] if target[x] >= 0 else opened[second_end(edges, x) + far]
        best = NEVER
        if source[x] >= 0:
            before = arrive[source[x]]
            for e in range(k):
                best = max(best, before[e] + after[k - 1 - e])
        else:
            before = closed[t - far] if t >= far else nothing
            for e in range(k - 1):
                best = max(best, before[e] + after[k - 2 - e])
            best += 2 * int(destroyed[edges[x, 0], t, far])
        most[x] = best


@kernel
def second_end(edges: Columns, x: int) -> int:
    """Return the first symbol behind the second edit of an edge."""
    return next_symbol(edges[x, 3], next_symbol(edges[x, 0], edges[x, 1]) + edges[x, 2])
