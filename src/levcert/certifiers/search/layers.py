"""Chains in both directions for one text and class, one layer for each number of edits, made when they are needed."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from levcert.certifiers.search.budget import Budget
from levcert.kernels.search.ground import NEVER, Ground, Mask, Numbers
from levcert.kernels.search.layers import backward, forward, shared_gains
from levcert.kernels.search.lone import Gains


def layers_for(edits: int) -> int:
    """Return how many layers are made when some number of edits is reached."""
    return edits + 1 + edits // 4


@dataclass
class Layers:
    """The arrays of levcert.kernels.search.layers, filled up to ``forwards`` and ``backwards`` edits."""

    possible: Mask  # kinds × slots
    lone: Gains  # kinds × slots × R × R
    destroyed: Gains  # kinds × slots × R
    shared: Numbers  # kinds × R × R
    budget: Budget
    forwards: int = 0
    backwards: int = 0
    _forward: tuple[Numbers, Numbers, Numbers] = field(init=False)
    _backward: tuple[Numbers, Numbers, Numbers] = field(init=False)

    @classmethod
    def of(cls, ground: Ground, possible: Mask, lone: Gains, destroyed: Gains, budget: Budget) -> Layers:
        width = lone.shape[2]
        shared = np.zeros((3, width, width), dtype=np.int64)
        shared_gains(ground.orders, ground.highest, shared)
        return cls(possible, lone, destroyed, shared, budget)

    def __post_init__(self) -> None:
        self._forward = self._room(1)
        self._backward = self._room(1)
        self._backward[1][0, :, :, self.far] = 0  # after the last edit nothing follows, far away

    @property
    def far(self) -> int:
        """R − 1: with this many symbols between them, two edits have no n-gram in common."""
        return int(self.lone.shape[2]) - 1

    @property
    def slots(self) -> int:
        return int(self.possible.shape[1])

    def total(self, edits: int) -> int:
        """Return the most that this many edits lose, as chains bound it."""
        self.reach_forward(edits)
        return int(self._forward[2][edits, -1])

    def reach_forward(self, edits: int) -> tuple[Numbers, Numbers, Numbers]:
        """Return ``enter``, ``leave`` and ``closed`` with at least this many layers."""
        self._forward = self._grown(self._forward, edits)
        for e in range(self.forwards + 1, edits + 1):
            self.budget.check()
            forward(e, self.possible, self.lone, self.destroyed, self.shared, *self._forward)
            self.forwards = e
        return self._forward

    def reach_backward(self, edits: int) -> tuple[Numbers, Numbers, Numbers]:
        """Return ``rest``, ``follow`` and ``opened`` with at least this many layers."""
        self._backward = self._grown(self._backward, edits)
        for e in range(self.backwards + 1, edits + 1):
            self.budget.check()
            backward(e, self.possible, self.lone, self.destroyed, self.shared, *self._backward)
            self.backwards = e
        return self._backward

    def _grown(self, arrays: tuple[Numbers, Numbers, Numbers], edits: int) -> tuple[Numbers, Numbers, Numbers]:
        if len(arrays[0]) > edits:
            return arrays
        room = self._room(layers_for(edits))
        for old, new in zip(arrays, room, strict=True):
            new[: len(old)] = old
        return room

    def _room(self, layers: int) -> tuple[Numbers, Numbers, Numbers]:
        shape = (layers, *self.destroyed.shape)
        first, second = np.full(shape, NEVER), np.full(shape, NEVER)
        return first, second, np.zeros((layers, self.slots), dtype=np.int64)
