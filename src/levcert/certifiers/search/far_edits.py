"""The worst edits far from each other: their losses add up exactly, so dynamic programming finds them.

Slots are cuts and characters; a(s) and b(s) are the last and first start of a window that slot s touches (see
edit_pairs.py).  With F_e[v] the most that e edits can take whose windows all start before v,

    F_e[v] = max( F_e[v − 1],  cut_v + F_{e−1}[v − R + 1],  character_{v−1} + F_{e−1}[v − R] )

Far edits are not all edits, so this proves nothing; it is where counterexamples are found.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from levcert.certifiers.search.local_losses import Slot

Array = npt.NDArray[np.float64]


def far_edits(cuts: Array, characters: Array, width: int, most: int) -> tuple[Array, list[list[Slot]]]:
    """Return for e = 1 … ``most`` the largest total loss of e far edits, and the slots that attain it.

    ``cuts`` and ``characters`` are the largest losses in each slot for one pair of classes.
    """
    from levcert.kernels.far_edits import far_totals

    length = len(characters)
    totals = np.empty((most + 1, length + 1))
    choices = np.empty((most + 1, length + 1), dtype=np.int8)  # 0: none new, 1: the cut, 2: the character
    far_totals(np.ascontiguousarray(cuts), np.ascontiguousarray(characters), width, totals, choices)
    return totals[1:, length], [_slots(choices, e, length, width) for e in range(1, most + 1)]


def _slots(choices: npt.NDArray[np.int8], e: int, v: int, width: int) -> list[Slot]:
    """Follow the choices back from the end."""
    slots: list[Slot] = []
    while e > 0 and v >= 0:
        if choices[e, v] == 1:
            slots.append(("cut", v))
            e, v = e - 1, v - width + 1
        elif choices[e, v] == 2:
            slots.append(("character", v - 1))
            e, v = e - 1, v - width
        else:
            v -= 1
    return slots[::-1]
