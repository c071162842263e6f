"""What every loop of the search is given: the votes, the text, what may be done to it, and the two classes.

The **gain** of an n-gram is its vote for the other class minus its vote for the label, in units.  A script of edits
loses the sum of the gains of the n-grams that it makes minus the sum of the gains of those that it destroys.

Most rows of a table have no vote, so a bitmap that fits the cache stands in front of it.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from levcert.kernels.compile import kernel
from levcert.kernels.operations import Operation
from levcert.kernels.vote_scores import MIX

Numbers = npt.NDArray[np.int64]
Ids = npt.NDArray[np.int32]
Hashes = npt.NDArray[np.uint64]
Votes = npt.NDArray[np.int8]
Bits = npt.NDArray[np.uint8]
Mask = npt.NDArray[np.bool_]

SUBSTITUTION, INSERTION, DELETION = map(int, Operation)
_NOTHING: Final = np.uint64(0)
_HALF: Final = np.uint64(32)
NEVER: Final = -(1 << 40)  # the loss of what cannot be; sums of few of these stay far below every real loss


class Ground(NamedTuple):
    """One text against one other class.  Arrays only, so that kernels take it as it is."""

    votes: Votes  # orders × (rows + 1) × classes
    used: Bits  # orders × rows/8: whether the classes of a row differ
    orders: Numbers
    highest: Numbers  # for each order, the largest gain of any row, at least 0
    ids: Ids
    insert: Mask  # symbols
    replace: Mask  # symbols × symbols
    delete: Mask  # symbols
    label: int
    other: int
    shift: np.uint64
    powers: Hashes


@kernel
def used_rows(votes: Votes, used: Bits) -> None:
    """Set the bit of every row whose classes have different votes."""
    orders, rows, classes = votes.shape
    for o in range(orders):
        for row in range(rows - 1):
            for y in range(1, classes):
                if votes[o, row, y] != votes[o, row, 0]:
                    used[o, row >> 3] |= np.uint8(1 << (row & 7))
                    break


@kernel
def highest_gains(votes: Votes, highest: Numbers) -> None:
    """highest[y, ŷ, o] = the largest vote for ŷ minus that for y of any row of order o, at least 0."""
    orders, rows, classes = votes.shape
    for o in range(orders):
        for row in range(rows - 1):
            mine = votes[o, row]
            same = True
            for y in range(1, classes):
                same &= mine[y] == mine[0]
            if same:  # most rows of most tables: nothing to gain
                continue
            for y in range(classes):
                for other in range(classes):
                    gain = np.int64(mine[other]) - np.int64(mine[y])
                    highest[y, other, o] = max(highest[y, other, o], gain)


@kernel
def used_row(used: Bits, order: int, value: np.uint64, rows: int, shift: np.uint64) -> int:
    """Return the row of a hash as row_of does, or the row of zeros where its votes make no difference; no branches."""
    mixed = value ^ (value >> _HALF)
    row = np.int64((mixed * MIX) >> shift)
    bit = np.int64(used[order, row >> 3] >> (row & 7)) & np.int64(value != _NOTHING)
    return np.int64(rows + (row - rows) * (bit & 1))  # type: ignore[return-value]


@kernel
def gain_of(ground: Ground, order: int, value: np.uint64) -> int:
    """Return the gain of the n-gram with a hash; ``order`` is a number in the list of orders."""
    rows = ground.votes.shape[1] - 1
    row = used_row(ground.used, order, value, rows, ground.shift)
    if row == rows:
        return 0
    votes = ground.votes[order, row]
    return np.int64(votes[ground.other]) - np.int64(votes[ground.label])  # type: ignore[return-value]


@kernel
def own(kind: int) -> int:
    """Return how many symbols an edit brings."""
    return 0 if kind == DELETION else 1


@kernel
def next_symbol(kind: int, t: int) -> int:
    """Return the first symbol of the text behind an edit: behind an insertion before t it is t itself."""
    return t if kind == INSERTION else t + 1


@kernel
def options(ground: Ground, kind: int, t: int, brought: Numbers) -> int:
    """List the symbols that an edit may bring, 0 for a deletion; return how many there are."""
    count = 0
    if kind == DELETION:
        if ground.delete[ground.ids[t] - 1]:
            brought[0] = 0
            count = 1
        return count
    for c in range(ground.insert.size):
        if ground.insert[c] if kind == INSERTION else ground.replace[ground.ids[t] - 1, c]:
            brought[count] = c + 1
            count += 1
    return count
