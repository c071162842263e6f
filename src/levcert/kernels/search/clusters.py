"""Clusters of three and more edits whose bound still reaches the margin: found shape by shape, then decided exactly."""

from __future__ import annotations

import numpy as np

from levcert.kernels.compile import kernel
from levcert.kernels.search.edges import Columns, second_end
from levcert.kernels.search.ground import DELETION, NEVER, Ground, Numbers, gain_of, next_symbol, options, own
from levcert.kernels.search.lone import Gains, alone
from levcert.kernels.search.pairs import pair_windows

_NOTHING = np.uint64(0)
OUT_OF_BUDGET = -1


@kernel
def best_split(edits: int, before: Numbers, after: Numbers) -> int:
    """Return the largest before[e] + after[edits − e]."""
    best = NEVER
    for e in range(edits + 1):
        best = max(best, before[e] + after[edits - e])
    return best


@kernel
def exact_clusters(
    ground: Ground,
    k: int,
    doubled_margin: int,
    destroyed: Gains,
    edges: Columns,
    values: Numbers,
    source: Columns,
    target: Columns,
    outgoing: Numbers,
    first_out: Numbers,
    closed: Numbers,
    depart: Numbers,
    opened: Numbers,
    budget: Numbers,
    shapes: Columns,
    symbols: Columns,
    sizes: Numbers,
    losses: Numbers,
) -> int:
    """List the clusters of three or more edits that can be part of k edits that lose the margin; their exact losses.

    A shape is a path of near edges from one that begins a cluster to one that ends it; ``outgoing[first_out[node]:
    first_out[node + 1]]`` are the edges that leave a node.  shapes[i, 2·j] and shapes[i, 2·j + 1] are kind and
    position of edit j of cluster i.  ``budget[0]`` counts down with every edge that is followed and every symbol that
    is tried. Return how many clusters there are, or OUT_OF_BUDGET.
    """
    far = destroyed.shape[2] - 1
    nothing = np.zeros(k + 1, np.int64)
    path, cursor, totals = np.empty(k + 1, np.int64), np.empty(k + 1, np.int64), np.empty(k + 1, np.int64)
    count = 0
    for begin in range(values.size):
        if source[begin] >= 0 or target[begin] < 0:
            continue
        kind, t = edges[begin, 0], edges[begin, 1]
        before = closed[t - far] if t >= far else nothing
        path[0], depth = begin, 0
        totals[0] = 2 * np.int64(destroyed[kind, t, far]) + values[begin]
        cursor[0] = first_out[target[begin]]
        while depth >= 0:
            node = target[path[depth]]
            if cursor[depth] == first_out[node + 1] or depth + 3 > k:
                depth -= 1
                continue
            x = outgoing[cursor[depth]]
            cursor[depth] += 1
            budget[0] -= 1
            if budget[0] < 0 or ground.stop[0]:
                return OUT_OF_BUDGET
            total, edits = totals[depth] + values[x], depth + 3
            if target[x] >= 0:
                if total + best_split(k - edits, before, depart[target[x]]) >= doubled_margin:
                    depth += 1
                    path[depth], totals[depth], cursor[depth] = x, total, first_out[target[x]]
                continue
            elsewhere = best_split(k - edits, before, opened[second_end(edges, x) + far])
            if total + elsewhere < doubled_margin:
                continue
            if count == sizes.size:
                return OUT_OF_BUDGET
            path[depth + 1] = x
            shape = shapes[count]
            shape[0], shape[1] = kind, t
            for j in range(depth + 2):
                edge = edges[path[j]]
                shape[2 * j + 2], shape[2 * j + 3] = edge[3], next_symbol(edge[0], edge[1]) + edge[2]
            need = (doubled_margin - elsewhere + 1) // 2
            loss = exact_loss(ground, destroyed, shape, edits, need, budget, symbols[count])
            if budget[0] < 0 or ground.stop[0]:
                return OUT_OF_BUDGET
            if loss >= need:
                sizes[count], losses[count] = edits, loss
                count += 1
    return count


@kernel
def exact_loss(
    ground: Ground, destroyed: Gains, shape: Columns, edits: int, need: int, budget: Numbers, symbols: Columns
) -> int:
    """Return the most that a cluster of given kinds and positions loses over its symbols, if that is ``need`` or more.

    Otherwise something below.  Symbols are chosen from left to right.  What the n-grams gain that hold none of the
    later edits is known then; the others are bounded by the best later symbols, each n-gram with three or more edits at
    the highest gain there is (``later``: a longest path from the right).
    """
    most, far = max(ground.insert.size, 1), destroyed.shape[2] - 1
    gaps = np.full(edits + 1, far)  # gaps[j]: before edit j
    brought, own_gains = np.empty((edits, most), np.int64), np.empty((edits, most), np.int64)
    counts = np.empty(edits, np.int64)
    known = np.int64(0)
    for j in range(edits):
        kind, t = shape[2 * j], shape[2 * j + 1]
        if j:
            gaps[j] = t - next_symbol(shape[2 * j - 2], shape[2 * j - 1])
        known += np.int64(destroyed[kind, t, gaps[j]])
    for j in range(edits):
        kind, t = shape[2 * j], shape[2 * j + 1]
        counts[j] = options(ground, kind, t, brought[j])
        alone(ground, kind, t, gaps[j], gaps[j + 1], brought[j], counts[j], own_gains[j])
    later = np.zeros((edits, most), np.int64)
    for j in range(edits - 2, -1, -1):
        _bound_later(ground, shape, j, gaps, brought, counts, own_gains, later)
    chosen, gained = np.zeros(edits, np.int64), np.zeros(edits + 1, np.int64)
    window = np.empty(2 * far + edits * (far + 1), np.int32)
    gained[0] = known
    best, j = need - 1, 0
    while j >= 0:
        if chosen[j] == counts[j]:
            j -= 1
            continue
        i = chosen[j]
        chosen[j] += 1
        budget[0] -= 1
        if budget[0] < 0 or ground.stop[0]:
            return NEVER
        gain = own_gains[0, i] if j == 0 else _gain_up_to(ground, shape, j, gaps, brought, chosen, window)
        gained[j + 1] = gained[j] + gain
        if gained[j + 1] + later[j, i] <= best:
            continue
        if j == edits - 1:
            best = gained[j + 1]
            for n in range(edits):
                symbols[n] = brought[n, chosen[n] - 1]
        else:
            j += 1
            chosen[j] = 0
    return best


@kernel
def _bound_later(
    ground: Ground,
    shape: Columns,
    j: int,
    gaps: Numbers,
    brought: Numbers,
    counts: Numbers,
    own_gains: Numbers,
    later: Numbers,
) -> None:
    """later[j, i] = a bound of what the n-grams gain that hold an edit after edit j, if that brings its symbol i."""
    kind, t, second = shape[2 * j], shape[2 * j + 1], shape[2 * j + 2]
    size = ground.orders.size * ground.powers.size
    fixed, steps, windows = np.empty(size, np.uint64), np.empty((size, 2), np.uint64), np.empty(size, np.int64)
    shared = pair_windows(ground, kind, t, gaps[j], gaps[j + 1], second, gaps[j + 2], fixed, steps, windows)
    # n-grams whose last edit is j + 1 and that hold edit j, without those of the pair: three edits or more
    constant = np.int64(0)
    for o in range(ground.orders.size):
        held = max(0, min(gaps[j + 2] + own(second), ground.orders[o] - 1 - gaps[j + 1]))
        constant += held * ground.highest[o]
    for w in range(shared):
        constant -= ground.highest[windows[w]]
    for i in range(counts[j]):
        if ground.stop[0]:
            return
        best = NEVER
        for n in range(counts[j + 1]):
            total = own_gains[j + 1, n] + later[j + 1, n]
            for w in range(shared):
                value = fixed[w] + np.uint64(brought[j, i]) * steps[w, 0] + np.uint64(brought[j + 1, n]) * steps[w, 1]
                total += gain_of(ground, windows[w], value)
            best = max(best, total)
        later[j, i] = best + constant


@kernel
def _gain_up_to(
    ground: Ground,
    shape: Columns,
    j: int,
    gaps: Numbers,
    brought: Numbers,
    chosen: Numbers,
    window: Columns,
) -> int:
    """Return what the n-grams gain that hold edit j and none after it, with the symbols chosen so far."""
    ids, far = ground.ids, ground.powers.size - 2
    # Write down the far symbols before the first edit, then edits and kept symbols up to the edit after j.
    size = 0
    for i in range(shape[1] - far, shape[1]):
        window[size] = ids[i] if i >= 0 else 0
        size += 1
    place = 0
    for n in range(j + 1):
        kind, t = shape[2 * n], shape[2 * n + 1]
        place = size  # of the edit's symbol; for a deletion, of the symbol behind it
        if kind != DELETION:
            window[size] = brought[n, chosen[n] - 1]
            size += 1
        start = next_symbol(kind, t)
        for i in range(start, start + gaps[n + 1]):
            window[size] = ids[i] if i < ids.size else 0
            size += 1
    latest = place if shape[2 * j] != DELETION else place - 1  # an n-gram that holds edit j begins here or before
    total = 0
    for o in range(ground.orders.size):
        n = ground.orders[o]
        for end in range(place, size):
            begin = end - n + 1
            if begin > latest:
                break
            value = _NOTHING
            for i in range(begin, end + 1):
                value = value * ground.powers[1] + np.uint64(window[i] if i >= 0 else 0)
            total += gain_of(ground, o, value)
    return total
