"""Hashed n-grams: sums of their votes, and the votes of n-grams around an edit.

The hash of the symbols s_1 … s_n is the polynomial Σ_i s_i·P^(n−i) modulo 2⁶⁴, mixed so that its upper bits depend on
all others; the row of the table is those upper bits.  A polynomial, because the n-gram around a hole is then

    hash(left, c, right) = hash(left)·P^(b+1) + c·P^b + hash(right)        (b symbols on the right)

one multiplication for each symbol c instead of n.  The hash 0 is that of nothing but padding and has no vote: its row
is the one after the last of the table, which holds zeros.  docs/formats.md states the hash; it is part of the format.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from levcert.kernels.compile import kernel

Ids = npt.NDArray[np.int32]
Positions = npt.NDArray[np.int64]
Votes = npt.NDArray[np.int8]  # orders × (rows + 1) × classes; the last row is 0
Sums = npt.NDArray[np.int64]
Hashes = npt.NDArray[np.uint64]

BASE: Final = np.uint64(0x9E3779B97F4A7C15)
MIX: Final = np.uint64(0xD6E8FEB86659FD93)
_ROWS_AT_ONCE: Final = 1 << 12
_NOTHING: Final = np.uint64(0)
_HALF: Final = np.uint64(32)


@kernel
def row_of(value: np.uint64, rows: int, shift: np.uint64) -> int:
    """Return the row of a hash: its mixed upper bits; of nothing but padding, the row after the last."""
    if value == _NOTHING:
        return rows
    value ^= value >> _HALF
    return int(np.int64((value * MIX) >> shift))


@kernel
def shift_of(rows: int) -> np.uint64:
    """Return 64 − b for a table of 2^b rows."""
    bits = 0
    while (1 << bits) < rows:
        bits += 1
    return np.uint64(64 - bits)


@kernel
def power(exponent: int) -> np.uint64:
    """Return P^exponent."""
    result = np.uint64(1)
    for _ in range(exponent):
        result *= BASE
    return result


@kernel
def powers_to(exponent: int) -> Hashes:
    """Return P^0 … P^exponent."""
    powers = np.ones(exponent + 1, np.uint64)
    for i in range(exponent):
        powers[i + 1] = powers[i] * BASE
    return powers


@kernel
def gram_rows(ids: Ids, order: int, rows: int, found: Positions) -> None:
    """found[e] = the row of the n-gram that ends at e, for e = 0 … length + n − 2; padding is on both sides."""
    length = ids.size
    shift, oldest = shift_of(rows), power(order)
    value = _NOTHING
    for e in range(length + order - 1):
        value *= BASE
        if e < length:
            value += np.uint64(ids[e])
        if e >= order:
            value -= np.uint64(ids[e - order]) * oldest
        found[e] = row_of(value, rows, shift)


@kernel
def score_texts(votes: Votes, orders: Positions, ids: Ids, offsets: Positions, sums: Sums) -> None:
    """sums[t] += the votes of all n-grams of text t; some rows are looked up before any is read, which is faster."""
    _, rows, classes = votes.shape
    rows -= 1
    shift, found = shift_of(rows), np.empty(_ROWS_AT_ONCE, np.int64)
    for o in range(orders.size):
        table, order, oldest = votes[o], orders[o], power(orders[o])
        for t in range(offsets.size - 1):
            text = ids[offsets[t] : offsets[t + 1]]
            grams = text.size + order - 1 if text.size else 0
            value = _NOTHING
            for first in range(0, grams, _ROWS_AT_ONCE):
                last = min(first + _ROWS_AT_ONCE, grams)
                for e in range(first, last):  # as in gram_rows
                    value *= BASE
                    if e < text.size:
                        value += np.uint64(text[e])
                    if e >= order:
                        value -= np.uint64(text[e - order]) * oldest
                    found[e - first] = row_of(value, rows, shift)
                for e in range(last - first):
                    for c in range(classes):
                        sums[t, c] += table[found[e], c]


@kernel
def score_contexts(votes: Votes, orders: Positions, width: int, contexts: Ids, sums: Sums) -> None:
    """sums[n] += the votes of all windows inside row n: of each order, the n-grams at the windows' right ends."""
    _, rows, classes = votes.shape
    rows -= 1
    shift = shift_of(rows)
    for o in range(orders.size):
        order = orders[o]
        oldest = power(order)
        for n in range(contexts.shape[0]):
            value = _NOTHING
            for e in range(width - order, contexts.shape[1]):
                value = value * BASE + np.uint64(contexts[n, e])
                if e >= width:
                    value -= np.uint64(contexts[n, e - order]) * oldest
                if e >= width - 1:
                    row = row_of(value, rows, shift)
                    for c in range(classes):
                        sums[n, c] += votes[o, row, c]


@kernel
def hole_windows(
    votes: Votes, orders: Positions, width: int, padded: Ids, lefts: Positions, rights: Positions, sums: Sums
) -> None:
    """sums[n, j, y, c − 1] += the votes for class y of the window that has symbol c in hole n as its tap j."""
    _, rows, classes = votes.shape
    rows -= 1
    shift, symbols = shift_of(rows), sums.shape[3]
    powers = powers_to(width)
    heads, tails = np.empty((2, width + 1), np.uint64)
    for n in range(lefts.size):
        hash_sides(padded, lefts[n], rights[n], powers, heads, tails)
        for o in range(orders.size):
            order = orders[o]
            for j in range(width):
                right = width - 1 - j  # symbols of the window right of the hole
                if right < order:
                    fixed, step = heads[order - 1 - right] * powers[right + 1] + tails[right], powers[right]
                else:  # an n-gram beyond the hole does not see its symbol
                    fixed, step = tails[right] - tails[right - order] * powers[order], _NOTHING
                for c in range(symbols):
                    row = row_of(fixed + np.uint64(c + 1) * step, rows, shift)
                    for y in range(classes):
                        sums[n, j, y, c] += votes[o, row, y]


@kernel
def hole_sums(
    votes: Votes, orders: Positions, width: int, padded: Ids, lefts: Positions, rights: Positions, sums: Sums
) -> None:
    """sums[n, y, c − 1] += the votes for class y of all windows that hold symbol c in hole n."""
    _, rows, classes = votes.shape
    rows -= 1
    shift, symbols = shift_of(rows), sums.shape[2]
    found = np.empty(symbols, np.int64)
    powers = powers_to(width)
    heads, tails = np.empty((2, width + 1), np.uint64)
    for n in range(lefts.size):
        hash_sides(padded, lefts[n], rights[n], powers, heads, tails)
        for o in range(orders.size):
            order = orders[o]
            for b in range(order):
                fixed = heads[order - 1 - b] * powers[b + 1] + tails[b]
                for c in range(symbols):
                    found[c] = row_of(fixed + np.uint64(c + 1) * powers[b], rows, shift)
                for y in range(classes):
                    total = sums[n, y]
                    for c in range(symbols):
                        total[c] += votes[o, found[c], y]
            for b in range(order, width):  # n-grams beyond the hole, which do not see its symbol
                row = row_of(tails[b] - tails[b - order] * powers[order], rows, shift)
                for y in range(classes):
                    for c in range(symbols):
                        sums[n, y, c] += votes[o, row, y]


@kernel
def hash_sides(ids: Ids, left: int, right: int, powers: Hashes, heads: Hashes, tails: Hashes) -> None:
    """heads[i] = the hash of the i symbols before ``left``, tails[i] of the i symbols from ``right`` on."""
    heads[0], tails[0] = _NOTHING, _NOTHING
    for i in range(heads.size - 1):
        before, after = left - 1 - i, right + i
        heads[i + 1] = heads[i] + (np.uint64(ids[before]) * powers[i] if before >= 0 else _NOTHING)
        tails[i + 1] = tails[i] * BASE + (np.uint64(ids[after]) if after < ids.size else _NOTHING)
