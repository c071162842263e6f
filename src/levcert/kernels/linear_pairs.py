"""What two edits take from a sum over n-grams; near each other, both at once, with the symbols they bring left open.

Slots and losses are those of levcert.kernels.linear_edits.  A pair of edits turns a piece of the text into a string
with up to two holes, each for a symbol c₁, c₂ that may be chosen.  What it makes is a sum over the n-grams without a
hole, with the first, with the second and with both,

    made(c₁, c₂) = M + M₁[c₁] + M₂[c₂] + M₁₂[c₁, c₂]

so one walk through the trie that branches at the holes bounds all choices; M₁₂ is visited where it is not 0.

With a curve κ, the loss has the further term κ·(‖lost‖² + ‖made‖²).  An n-gram with hole 1 occurs at most as often as
c₁ does in the new string, because each occurrence has c₁ at the same place; so ‖made‖² ≤ Σ occurrences · factor².
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from levcert.kernels.compile import kernel
from levcert.kernels.linear_edits import (
    DELETE,
    INSERT,
    SUBSTITUTE,
    left_of,
    right_of,
    seen_between,
    squared,
    touching,
)
from levcert.kernels.linear_holes import (
    beside_space,
    hole_sums,
    made_to_losses,
    nodes_before,
    occurrences,
    row_of_both,
    without_holes,
)

Floats = npt.NDArray[np.float64]
Nodes = npt.NDArray[np.int32]
Positions = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

FREE = -1  # any single symbol
_FIRST, _SECOND = -2, -3  # the holes, among ids


@kernel
def _note(
    found: Positions, loss: Floats, at: int, slot: int, one: int, other: int, two: int, value: float
) -> None:  # fmt: skip
    """Write down a pair if there is room."""
    if at < len(loss):
        found[at, 0] = slot
        found[at, 1] = one
        found[at, 2] = other
        found[at, 3] = two
        loss[at] = value


@kernel
def is_far(
    ids: Nodes, starts: Positions, slot: int, other: int, is_space: Flags, width: int
) -> bool:  # fmt: skip
    """Whether no n-gram touches what both edits change: R − 1 symbols or more lie between the runs they touch.

    One at least: white space that both bring in would form one run.
    """
    end = starts[slot // 2 + slot % 2]
    while end < len(ids) and is_space[ids[end]]:
        end += 1
    start = starts[other // 2]
    while start > 0 and is_space[ids[start - 1]]:
        start -= 1
    between = max(width - 1, 1)
    return start >= end and seen_between(ids, end, start, is_space, between) >= between


@kernel
def far_slots(ids: Nodes, starts: Positions, is_space: Flags, width: int, far: Positions) -> None:
    """Write for each slot the first later one that is far from it."""
    slots = 2 * len(starts) - 1
    other = 0
    for slot in range(slots):
        other = max(other, slot + 1)
        while other < slots and not is_far(ids, starts, slot, other, is_space, width):
            other += 1
        far[slot] = other


@kernel
def far_pairs(
    losses: Floats, best: Floats, later: Floats, far: Positions, threshold: float, found: Positions, loss: Floats
) -> int:
    """List all pairs of edits in slots far from each other whose losses add up to the threshold; return how many.

    Rows of ``found`` are slot, choice, slot, choice.  One more than there is room for: there are too many.
    """
    count = 0
    slots, choices = losses.shape
    for slot in range(slots):
        if best[slot] + later[far[slot]] < threshold:
            continue
        for e in range(choices):
            own = losses[slot, e]
            if own + later[far[slot]] < threshold:
                continue
            for other in range(far[slot], slots):
                if own + best[other] < threshold:
                    continue
                for choice in range(choices):
                    if own + losses[other, choice] >= threshold:
                        if count == len(loss):
                            return count + 1
                        _note(found, loss, count, slot, e, other, choice, own + losses[other, choice])
                        count += 1
    return count


@kernel
def brought_by(choice: int, symbols: int, strings: Nodes, offsets: Positions, hole: int, out: Nodes, at: int) -> int:
    """Write what a choice brings, and return where it ends."""
    if choice == FREE:
        out[at] = hole
        return at + 1
    if choice < symbols:
        out[at] = choice
        return at + 1
    if choice < symbols + len(offsets) - 1:
        for i in range(offsets[choice - symbols], offsets[choice - symbols + 1]):
            out[at] = strings[i]
            at += 1
    return at


@kernel
def collapsed(raw: Nodes, count: int, is_space: Flags, space: int, out: Nodes, at: int) -> int:
    """Write a string in which a run of white space is one space; holes are not white space."""
    i = 0
    while i < count:
        symbol = raw[i]
        if symbol > 0 and is_space[symbol]:
            j = i
            while j + 1 < count and raw[j + 1] > 0 and is_space[raw[j + 1]]:
                j += 1
            if j > i:
                symbol = space
            i = j
        out[at] = symbol
        at += 1
        i += 1
    return at


@kernel
def near_pairs(
    begin: Nodes, symbol: Nodes, row: Nodes, width: int, kept: Floats, factors: Floats, curve: float, below: Floats,
    is_space: Flags, space: int, single: Flags, strings: Nodes, offsets: Positions, operations: int,
    ids: Nodes, starts: Positions, slot: int, far: int, longest: int, threshold: float, found: Positions, loss: Floats,
) -> tuple[float, int]:  # fmt: skip
    """Return the largest loss of an edit in a slot and another between there and slot ``far``, and how many are open.

    Rows of ``found`` are slot, choice, slot, choice of the pairs whose bound reaches the threshold, ``loss`` their
    losses; the slots are those of the unedited text, and two insertions in one cut are in their order.  All that are
    open are counted, also those for which there is no room.  ``below`` is from :func:`best_below`; where it rules a
    pair out, the symbols are not looked at.
    """
    symbols = len(single)
    several = len(offsets) - 1
    deletion = symbols + several
    worst = -np.inf
    count = 0
    room = width - 1
    old = np.empty(longest, dtype=np.int32)
    new = np.empty(longest, dtype=np.int32)
    raw = np.empty(longest, dtype=np.int32)
    rows = np.empty(longest * width, dtype=np.int64)
    nodes = np.empty(longest, dtype=np.int32)
    touched = np.empty(symbols, dtype=np.int32)
    losses_1 = np.zeros(symbols)
    losses_2 = np.zeros(symbols)
    squares_1 = np.zeros(symbols)
    squares_2 = np.zeros(symbols)
    both = np.zeros(symbols)
    both_squares = np.zeros(symbols)
    spaces = 0
    for c in range(1, symbols):
        spaces += single[c] and is_space[c]
    pairs = np.empty(((several + 2) ** 2 * (1 + spaces) ** 2 * 4, 2), dtype=np.int64)
    first = starts[slot // 2]
    last = starts[slot // 2 + slot % 2]
    for other in range(slot if slot % 2 == 0 else slot + 1, far):
        begins = starts[other // 2]
        ends = starts[other // 2 + other % 2]
        a = first
        while a > 0 and is_space[ids[a - 1]]:
            a -= 1
        b = ends
        while b < len(ids) and is_space[ids[b]]:
            b += 1
        lefts = left_of(ids, a, is_space, space, room, old)
        for i in range(lefts // 2):
            old[i], old[lefts - 1 - i] = old[lefts - 1 - i], old[i]
        new[:lefts] = old[:lefts]
        until = collapsed(ids[a:b], b - a, is_space, space, old, lefts)
        rights = right_of(ids, len(ids), b, is_space, space, room, old, until)
        lost, lost_count = touching(begin, symbol, row, old, until + rights, lefts, until, kept, rows)
        if curve > 0:
            lost += curve * squared(rows, lost_count, factors)
        todo = 0
        for v in range(several + 2):
            for w in range(several + 2):
                one = FREE if v == 0 else symbols + v - 1
                two = FREE if w == 0 else symbols + w - 1
                allowed_1 = operations & (INSERT if slot % 2 == 0 else DELETE if one == deletion else SUBSTITUTE)
                allowed_2 = operations & (INSERT if other % 2 == 0 else DELETE if two == deletion else SUBSTITUTE)
                if (slot % 2 == 0 and one == deletion) or (other % 2 == 0 and two == deletion):
                    continue
                if allowed_1 and allowed_2:
                    pairs[todo, 0] = one
                    pairs[todo, 1] = two
                    todo += 1
        at = 0
        while at < todo:
            one = pairs[at, 0]
            two = pairs[at, 1]
            at += 1
            filled = 0
            for i in range(a, first):
                raw[filled] = ids[i]
                filled += 1
            filled = brought_by(one, symbols, strings, offsets, _FIRST, raw, filled)
            for i in range(last, begins):
                raw[filled] = ids[i]
                filled += 1
            filled = brought_by(two, symbols, strings, offsets, _SECOND, raw, filled)
            for i in range(ends, b):
                raw[filled] = ids[i]
                filled += 1
            high = collapsed(raw, filled, is_space, space, new, lefts)
            length = high + rights
            for i in range(rights):
                new[high + i] = old[until + i]
            hole_1 = -1
            hole_2 = -1
            for i in range(lefts, high):
                if new[i] == _FIRST:
                    hole_1 = i
                elif new[i] == _SECOND:
                    hole_2 = i
            holes = (hole_1 >= 0) + (hole_2 >= 0)
            made, made_squares = without_holes(
                begin, symbol, row, new, length, lefts, high, kept, factors, holes
            )  # fmt: skip
            base = lost - made + curve * made_squares
            # White space next to a hole forms a run with white space in it: then that is tried as a string of its own.
            blocked_1 = beside_space(new, length, hole_1, is_space)
            blocked_2 = beside_space(new, length, hole_2, is_space)
            adjacent = hole_1 >= 0 and hole_2 == hole_1 + 1
            for c in range(1, symbols):
                if not (single[c] and is_space[c]):
                    continue
                if blocked_1:
                    pairs[todo, 0] = c
                    pairs[todo, 1] = two
                    todo += 1
                if blocked_2:
                    pairs[todo, 0] = one
                    pairs[todo, 1] = c
                    todo += 1
                if adjacent:
                    for d in range(1, symbols):
                        if single[d] and is_space[d]:
                            pairs[todo, 0] = c
                            pairs[todo, 1] = d
                            todo += 1
            if holes:
                bound = base
                if hole_2 >= 0:
                    bound += nodes_before(begin, symbol, new, hole_1 + 1, hole_2, below, nodes)
                if hole_1 >= 0:
                    bound += nodes_before(begin, symbol, new, 0, hole_1, below, nodes)
                if bound < threshold:
                    worst = max(worst, bound)
                    continue
            best_2 = -np.inf
            if hole_1 >= 0:
                losses_1[:] = 0
                squares_1[:] = 0
                end = hole_2 if hole_2 >= 0 else length
                hole_sums(begin, symbol, row, new, 0, hole_1, end, kept, factors, losses_1, squares_1)
                made_to_losses(new, length, single, is_space, blocked_1, curve, losses_1, squares_1)
            if hole_2 >= 0:
                losses_2[:] = 0
                squares_2[:] = 0
                hole_sums(begin, symbol, row, new, hole_1 + 1, hole_2, length, kept, factors, losses_2, squares_2)
                best_2 = made_to_losses(new, length, single, is_space, blocked_2, curve, losses_2, squares_2)
            if holes == 0:
                worst = max(worst, base)
                if base >= threshold:
                    _note(found, loss, count, slot, one, other, two, base)
                    count += 1
            elif holes == 1:
                for c in range(1, symbols):
                    value = base + (losses_1[c] if hole_1 >= 0 else losses_2[c])
                    worst = max(worst, value)
                    if value >= threshold:
                        _note(
                            found, loss, count, slot, c if hole_1 >= 0 else one, other, c if hole_2 >= 0 else two, value
                        )
                        count += 1
            else:
                for c in range(1, symbols):
                    if losses_1[c] == -np.inf:
                        continue
                    visited = row_of_both(
                        begin, symbol, row, new, length, hole_1, hole_2, c, nodes, kept, factors, both, both_squares,
                        touched,
                    )  # fmt: skip
                    own = base + losses_1[c]
                    same = occurrences(new, length, c) if curve > 0 else 0
                    most = own + best_2
                    for n in range(visited):
                        d = touched[n]
                        both[d] = curve * same * both_squares[d] - both[d]
                        most = max(most, own + losses_2[d] + both[d])
                    if curve > 0:  # c twice: each n-gram with it may occur once more
                        twice = curve * (squares_1[c] + squares_2[c] + both_squares[c])
                        most = max(most, own + losses_2[c] + both[c] + twice)
                    worst = max(worst, most)
                    if most >= threshold:
                        for d in range(1, symbols):
                            value = own + losses_2[d] + both[d]
                            if d == c and curve > 0:
                                value += curve * (squares_1[c] + squares_2[c] + both_squares[c])
                            if value >= threshold and not (adjacent and is_space[c] and is_space[d]):
                                _note(found, loss, count, slot, c, other, d, value)
                                count += 1
                    for n in range(visited):
                        both[touched[n]] = 0
                        both_squares[touched[n]] = 0
    return worst, count
