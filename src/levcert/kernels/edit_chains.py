"""Dynamic programming over chains of edits, from left to right (levcert.certifiers.search.edit_chains has the theorem).

Only what the next R symbols need is kept, for all numbers of edits at once: the memory does not depend on the length.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from levcert.kernels.compile import kernel
from levcert.kernels.operations import Operation

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

SUBSTITUTION, INSERTION, DELETION = map(int, Operation)
ORDER = (INSERTION, SUBSTITUTION, DELETION)  # of edits at one place: insertions stand before the symbol


@kernel
def chain_block(
    first: int, lone: Floats, destroyed: Floats, shared: Floats, leave: Floats, closed: Floats, enter: Floats
) -> None:
    """Add the edits at slots ``first`` and after, as many as ``lone`` has, for one class.

    ``lone[kind, i, l, r]``: new windows that hold this edit only; ``destroyed[kind, i, g]``: windows of the text that
    it destroys beyond those that the edit g symbols before it destroys; ``shared[kind, l, g]``: new windows that hold
    it, the edit g symbols after it, and none before it.  In all three, R − 1 symbols stand for that many or more.

    Kept between blocks: ``leave[t mod R, kind, e, g]``, the most that e edits lose of which the last one is (kind,
    t), if the next comes g symbols later; ``closed[s mod (R + 1), e]``, the most that e edits lose that end before
    symbol s. ``enter`` is room for edits × R numbers.  For the first block both are −∞, and closed[·, 0] = 0.
    """
    reach, most = lone.shape[2], closed.shape[1] - 1
    far, ring = reach - 1, reach + 1
    for i in range(lone.shape[1]):
        t = first + i
        for e in range(1, most + 1):
            if t:  # what ends before t − 1 ends before t
                closed[t % ring, e] = max(closed[t % ring, e], closed[(t - 1) % ring, e])
            closed[(t + 1) % ring, e] = -np.inf
        for kind in ORDER:
            mine = leave[t % reach, kind]
            mine[:] = -np.inf
            if lone[kind, i, 0, 0] == -np.inf:
                continue  # not allowed
            end = t if kind == INSERTION else t + 1
            for e in range(1, most + 1):
                if t >= far:
                    enter[far] = closed[(t - far) % ring, e - 1] + destroyed[kind, i, far]
                else:
                    enter[far] = destroyed[kind, i, far] if e == 1 else -np.inf
                for g in range(far):
                    best = -np.inf
                    if t >= g:
                        best = max(best, leave[(t - g) % reach, INSERTION, e - 1, g])
                    if t > g:
                        best = max(best, leave[(t - g - 1) % reach, SUBSTITUTION, e - 1, g])
                        if g or kind != INSERTION:  # an insertion right behind a deletion: before it, it is the same
                            best = max(best, leave[(t - g - 1) % reach, DELETION, e - 1, g])
                    enter[g] = best + destroyed[kind, i, g]
                for left in range(reach):
                    if enter[left] > -np.inf:
                        for g in range(reach):
                            total = enter[left] + lone[kind, i, left, g] + shared[kind, left, g]
                            mine[e, g] = max(mine[e, g], total)
                closed[end % ring, e] = max(closed[end % ring, e], mine[e, far])
