"""What single edits take from a sum over n-grams, in a text whose white space is collapsed.

``ids`` is a text before collapsing, ``starts[i]`` … ``starts[i + 1] − 1`` are the ids of its character i.  Slot 2i is
the cut before character i, slot 2i + 1 the character itself.  An edit replaces ids s … t − 1 by a string, and
with it change the runs of white space that it touches, nothing else: n-grams lost and made lie within R − 1 symbols.

The loss of an edit is Σ kept[g] over n-grams g lost − Σ made[g] over n-grams made + curve·(‖lost‖² + ‖made‖²), where
‖·‖² = Σ_g (count_g·factor_g)².  ``made`` already contains the last term for n-grams that are made once.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from levcert.kernels.compile import kernel
from levcert.kernels.ngram_trie import child

Floats = npt.NDArray[np.float64]
Nodes = npt.NDArray[np.int32]
Positions = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

INSERT, DELETE, SUBSTITUTE = 1, 2, 4  # bits of the operations that are allowed


@kernel
def left_of(ids: Nodes, at: int, is_space: Flags, space: int, most: int, out: Nodes) -> int:
    """Write the symbols left of a position as they are seen, the nearest first, and return how many."""
    count = 0
    i = at - 1
    while i >= 0 and count < most:
        symbol = ids[i]
        if is_space[symbol]:
            j = i
            while j > 0 and is_space[ids[j - 1]]:
                j -= 1
            if j < i:
                symbol = space
            i = j
        out[count] = symbol
        count += 1
        i -= 1
    return count


@kernel
def right_of(ids: Nodes, length: int, at: int, is_space: Flags, space: int, most: int, out: Nodes, first: int) -> int:
    """Write the symbols from a position on as they are seen, and return how many; at most ``most``."""
    count = 0
    i = at
    while i < length and count < most:
        symbol = ids[i]
        if is_space[symbol]:
            j = i
            while j + 1 < length and is_space[ids[j + 1]]:
                j += 1
            if j > i:
                symbol = space
            i = j
        out[first + count] = symbol
        count += 1
        i += 1
    return count


@kernel
def touching(
    begin: Nodes, symbol: Nodes, row: Nodes, text: Nodes, length: int, low: int, high: int,
    weights: Floats, rows: Positions,
) -> tuple[float, int]:  # fmt: skip
    """Return the weight of the n-grams that touch positions low … high − 1 (or straddle the cut low = high).

    Their rows are written to ``rows``; the second number is how many there are.
    """
    total = 0.0
    count = 0
    for start in range(high):
        node = 0
        for end in range(start, length):
            node = child(begin, symbol, node, text[end])
            if node < 0:
                break
            if end >= low and row[node] >= 0:
                total += weights[row[node]]
                rows[count] = row[node]
                count += 1
    return total, count


@kernel
def squared(rows: Positions, count: int, factors: Floats) -> float:
    """Return Σ_g (count_g·factor_g)² over the n-grams listed."""
    total = 0.0
    for i in range(count):
        same = 0
        for j in range(count):
            same += rows[j] == rows[i]
        total += same * factors[rows[i]] * factors[rows[i]]
    return total


@kernel
def segment_loss(
    begin: Nodes, symbol: Nodes, row: Nodes, width: int, kept: Floats, factors: Floats, curve: float,
    is_space: Flags, space: int, ids: Nodes, length: int, first: int, last: int, brought: Nodes, scratch: Nodes,
    rows: Positions,
) -> float:  # fmt: skip
    """Return the loss of replacing ids first … last − 1 by ``brought``: the slow and general way."""
    a = first
    while a > 0 and is_space[ids[a - 1]]:
        a -= 1
    b = last
    while b < length and is_space[ids[b]]:
        b += 1
    room = width - 1
    left = left_of(ids, a, is_space, space, room, scratch)
    for i in range(left // 2):
        scratch[i], scratch[left - 1 - i] = scratch[left - 1 - i], scratch[i]
    totals = np.empty(2)
    middle = np.empty(b - a + len(brought), dtype=np.int32)
    loss = 0.0
    for new in range(2):
        count = 0
        for i in range(a, first):
            middle[count] = ids[i]
            count += 1
        if new:
            for i in range(len(brought)):
                middle[count] = brought[i]
                count += 1
        else:
            for i in range(first, last):
                middle[count] = ids[i]
                count += 1
        for i in range(last, b):
            middle[count] = ids[i]
            count += 1
        inside = right_of(middle, count, 0, is_space, space, count, scratch, left)
        right = right_of(ids, length, b, is_space, space, room, scratch, left + inside)
        total, found = touching(begin, symbol, row, scratch, left + inside + right, left, left + inside, kept, rows)
        totals[new] = total
        if curve > 0:
            loss += curve * squared(rows, found, factors)
    return float(loss + totals[0] - totals[1])


@kernel
def hole_gains(
    begin: Nodes, symbol: Nodes, row: Nodes, left: Nodes, lefts: int, right: Nodes, rights: int, made: Floats,
    gains: Floats,
) -> None:  # fmt: skip
    """Add to gains[c] the weight of all n-grams that contain symbol c in the hole between two contexts.

    ``left`` has the nearest symbol first.  Only symbols that continue an n-gram of the vocabulary are visited.
    """
    for reach in range(lefts + 1):
        node = 0
        for i in range(reach - 1, -1, -1):
            node = child(begin, symbol, node, left[i])
            if node < 0:
                break
        if node < 0:
            continue
        for filled in range(begin[node], begin[node + 1]):
            c = symbol[filled]
            if row[filled] >= 0:
                gains[c] += made[row[filled]]
            further = filled
            for i in range(rights):
                further = child(begin, symbol, further, right[i])
                if further < 0:
                    break
                if row[further] >= 0:
                    gains[c] += made[row[further]]


@kernel
def slot_losses(
    begin: Nodes, symbol: Nodes, row: Nodes, width: int, kept: Floats, made: Floats, factors: Floats, curve: float,
    is_space: Flags, space: int, single: Flags, strings: Nodes, offsets: Positions, operations: int,
    ids: Nodes, length: int, starts: Positions, characters: int, slot: int,
    losses: Floats, scratch: Nodes, rows: Positions,
) -> None:  # fmt: skip
    """Write the loss of every allowed edit in a slot; −∞ for what is not allowed.

    losses[c] for symbol c of those that one character can become alone (``single``), then one for each longer or empty
    string (``strings`` from ``offsets``), and the last for the deletion.
    """
    symbols = len(single)
    several = len(offsets) - 1
    losses[:] = -np.inf
    cut = slot % 2 == 0
    first = starts[slot // 2]
    last = first if cut else starts[slot // 2 + 1]
    if not cut and operations & DELETE:
        losses[symbols + several] = segment_loss(
            begin, symbol, row, width, kept, factors, curve, is_space, space, ids, length, first, last,
            strings[:0], scratch, rows,
        )  # fmt: skip
    if not operations & (INSERT if cut else SUBSTITUTE):
        return
    for n in range(several):
        losses[symbols + n] = segment_loss(
            begin, symbol, row, width, kept, factors, curve, is_space, space, ids, length, first, last,
            strings[offsets[n] : offsets[n + 1]], scratch, rows,
        )  # fmt: skip
    before = first > 0 and is_space[ids[first - 1]]
    after = last < length and is_space[ids[last]]
    one = last - first == 1
    old_space = False
    for i in range(first, last):
        old_space = old_space or is_space[ids[i]]
    # A symbol that is not white space leaves all runs as they are, unless it splits one or takes a part of one away.
    whole = not (before and after) if first == last else not (old_space and (before or after or not one))
    left = np.empty(width, dtype=np.int32)
    right = np.empty(width, dtype=np.int32)
    gains = np.zeros(symbols)
    old = 0.0
    lefts = 0
    rights = 0
    if whole:
        room = width - 1
        lefts = left_of(ids, first, is_space, space, room, left)
        rights = right_of(ids, length, last, is_space, space, room, right, 0)
        hole_gains(begin, symbol, row, left, lefts, right, rights, made, gains)
        for i in range(lefts):
            scratch[i] = left[lefts - 1 - i]
        inside = 0
        for i in range(first, last):
            scratch[lefts + inside] = ids[i]
            inside += 1
        for i in range(rights):
            scratch[lefts + inside + i] = right[i]
        old, found = touching(begin, symbol, row, scratch, lefts + inside + rights, lefts, lefts + inside, kept, rows)
        if curve > 0:
            old += curve * squared(rows, found, factors)
    one_symbol = np.empty(1, dtype=np.int32)
    for c in range(1, symbols):
        if not single[c]:
            continue
        plain = whole and not (is_space[c] and (before or after))
        if plain and curve > 0:  # a symbol that stands nearby may make an n-gram twice
            for i in range(lefts):
                plain = plain and left[i] != c
            for i in range(rights):
                plain = plain and right[i] != c
        if plain:
            losses[c] = old - gains[c]
        else:
            one_symbol[0] = c
            losses[c] = segment_loss(
                begin, symbol, row, width, kept, factors, curve, is_space, space, ids, length, first, last,
                one_symbol, scratch, rows,
            )  # fmt: skip


@kernel
def all_losses(
    begin: Nodes, symbol: Nodes, row: Nodes, width: int, kept: Floats, made: Floats, factors: Floats, curve: float,
    is_space: Flags, space: int, single: Flags, strings: Nodes, offsets: Positions, operations: int,
    ids: Nodes, starts: Positions, first: int, last: int, longest: int, losses: Floats,
) -> None:  # fmt: skip
    """Write the losses of the slots first … last − 1, one row each."""
    scratch = np.empty(longest, dtype=np.int32)
    rows = np.empty(longest * width, dtype=np.int64)
    for slot in range(first, last):
        slot_losses(
            begin, symbol, row, width, kept, made, factors, curve, is_space, space, single, strings, offsets,
            operations, ids, len(ids), starts, len(starts) - 1, slot, losses[slot - first], scratch, rows,
        )  # fmt: skip


@kernel
def seen_between(ids: Nodes, first: int, last: int, is_space: Flags, most: int) -> int:
    """Return how many symbols are seen between two positions, up to ``most``."""
    count = 0
    i = first
    while i < last and count < most:
        if is_space[ids[i]]:
            while i + 1 < last and is_space[ids[i + 1]]:
                i += 1
        count += 1
        i += 1
    return count
