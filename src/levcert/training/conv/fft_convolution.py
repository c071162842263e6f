"""Convolutions of the deeper layers in training: fewer products by the fast Fourier transform (overlap-save).

With N − taps + 1 outputs per tile of N rows, all products in between are those of :mod:`levcert.kernels.fft`:
3N/2 − 1 matrices per tile, against ``taps`` matrices per output when computed directly.  For 5 taps (N = 32) that
is 1.7 instead of 5 per row, for 10 taps (N = 64) 1.7 instead of 10.  All scaling is in the kernel's spectrum, so the
map is bilinear with matrices of the transform alone,

    Y = Aᵀ[(G K) ⊙ (B X)],   ∂X = Bᵀ[(G K)ᵀ ⊙ (A ∂Y)],   ∂K = Gᵀ[(A ∂Y)ᵀ ⊙ (B X)],

and the spectrum of the input serves both passes.  The matrix products are numpy's.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from levcert.kernels import fft
from levcert.kernels.conv_scores import Floats
from levcert.kernels.fft import Places

_NO_MASK = np.empty((0, 0), dtype=np.uint8)


def convolve(values: Tensor, K: Tensor, places: Places, rows: int, *, relu: bool) -> Tensor:
    """Convolve the rows with full padding, y_i = Σ_j K_j x_{i + j − taps + 1}, and sum them into ``rows`` rows.

    Row i of the result is added to row places[i], or dropped where places[i] < 0: the identity keeps them all, the
    number of its text for each row pools.  With ``relu`` the activation comes before the sum.
    """
    return _Convolution.apply(values, K, places, rows, relu)  # type: ignore[no-any-return, no-untyped-call]


@contextmanager
def memory_released() -> Iterator[None]:
    """Release the memory kept from batch to batch when training ends, even with an error."""
    try:
        yield
    finally:
        _Scratch._free.clear()


class _Convolution(torch.autograd.Function):
    """The three maps above; ``_Scratch`` keeps the spectrum of the input until the graph is gone."""

    @staticmethod
    def forward(ctx: Any, values: Tensor, K: Tensor, places: Places, rows: int, relu: bool) -> Tensor:
        x, weights = values.detach().contiguous().numpy(), K.detach().contiguous().numpy()
        taps, filters, inputs = weights.shape
        plan = _plan(taps, weights.dtype.str)
        tiles = -(-len(x) // plan.step)
        end = np.full(tiles * plan.step - len(x), -1)
        before = np.full(taps - 1, -1)
        ctx.places = np.concatenate([places, end])
        ctx.active = np.empty((len(x), filters), dtype=np.uint8) if relu else _NO_MASK
        ctx.plan, ctx.shape = plan, x.shape
        ctx.K = (plan.G @ weights.reshape(taps, -1)).reshape(-1, filters, inputs)
        ctx.X = _Scratch((len(plan.G), tiles, inputs), x.dtype)
        fft.spectrum_of_rows(
            x,
            np.concatenate([before, np.arange(len(x)), end]),
            _NO_MASK,
            plan.step,
            plan.size,
            plan.butterflies,
            plan.turns,
            plan.parts,
            ctx.X.array,
        )
        Y = _Scratch((len(plan.G), tiles, filters), x.dtype)
        np.matmul(ctx.X.array, ctx.K.transpose(0, 2, 1), out=Y.array)
        y = np.zeros((rows, filters), dtype=x.dtype)
        fft.rows_of_spectrum(Y.array, ctx.places, ctx.active, plan.step, plan.butterflies, plan.turns, plan.swapped, y)
        return torch.from_numpy(y)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, Tensor, None, None, None]:
        gradient = gradients[0].contiguous().numpy()
        plan, X = ctx.plan, ctx.X.array
        planes, tiles, inputs = X.shape
        filters = gradient.shape[1]
        D = _Scratch((planes, tiles, filters), gradient.dtype)
        fft.spectrum_of_rows(
            gradient,
            ctx.places,
            ctx.active,
            plan.step,
            plan.step,
            plan.butterflies,
            plan.turns,
            plan.swapped,
            D.array,
        )
        of_kernel = np.matmul(D.array.transpose(0, 2, 1), X)
        of_input = _Scratch(X.shape, gradient.dtype)
        np.matmul(D.array, ctx.K, out=of_input.array)
        x = np.empty(ctx.shape, dtype=gradient.dtype)
        taps = plan.G.shape[1]
        fft.overlapped_rows_of_spectrum(
            of_input.array, taps - 1, plan.step, plan.butterflies, plan.turns, plan.parts, x
        )
        K = (plan.G.T @ of_kernel.reshape(planes, -1)).reshape(taps, filters, inputs)
        return torch.from_numpy(x), torch.from_numpy(K), None, None, None


@dataclass(frozen=True)
class _Plan:
    """The transform for one number of taps."""

    size: int  # N, the rows of a tile
    step: int  # N − taps + 1, the outputs of a tile
    butterflies: npt.NDArray[np.int64]
    turns: Floats
    parts: npt.NDArray[np.int64]
    swapped: npt.NDArray[np.int64]  # the parts with the imaginary one first
    G: Floats  # planes of the kernel's spectrum by taps


@lru_cache
def _plan(taps: int, dtype: str) -> _Plan:
    # Longer tiles waste less on overlap and more on transforms; the choice is from measurements at 2 to 10 taps.
    size = max(16, 2 ** math.ceil(math.log2(5 * taps)))
    butterflies: list[tuple[int, int, int, int]] = []
    turns: list[tuple[float, float]] = []
    points: list[tuple[int, int, float]] = []

    def split(real: int, imaginary: int, length: int, angle: float) -> None:
        """Reduce modulo z^length − e^{i·angle}, whose coefficients begin at these two rows."""
        if length == 1:
            points.append((real, imaginary, angle))
            return
        half = length // 2
        for r in range(half):
            butterflies.append((real + r, imaginary + r, real + half + r, imaginary + half + r))
            turns.append((math.cos(angle / 2), math.sin(angle / 2)))
        split(real, imaginary, half, angle / 2)
        split(real + half, imaginary + half, half, angle / 2 + math.pi)

    half = size // 2
    while half > 1:  # the real butterflies leave z^half + 1 in the rows from half on
        split(half, half + half // 2, half // 2, math.pi / 2)
        half //= 2
    powers = np.arange(taps)
    G = [np.ones(taps), (-1.0) ** powers]
    for _, _, angle in points:  # c + di = 2·K(1/z): the points stand for their conjugates as well
        c, d = 2 * np.cos(angle * powers), -2 * np.sin(angle * powers)
        G += [d - c, -c - d, c]
    parts = np.array([point[:2] for point in points])
    return _Plan(
        size,
        size - taps + 1,
        np.array(butterflies),
        np.array(turns, dtype=dtype),
        parts,
        np.ascontiguousarray(parts[:, ::-1]),
        (np.array(G) / size).astype(dtype),
    )


class _Scratch:
    """A large array without content, from memory used before if there is some: fresh pages cost as much as a pass.

    The memory goes back when the object dies, so a spectrum kept for the backward pass is nobody else's until then.
    """

    _free: list[npt.NDArray[np.uint8]] = []  # noqa: RUF012
    _lock = threading.RLock()  # the garbage collector may call __del__ in the middle of __init__

    def __init__(self, shape: tuple[int, ...], dtype: npt.DTypeLike) -> None:
        size = math.prod(shape) * np.dtype(dtype).itemsize
        with self._lock:
            fitting = [k for k, memory in enumerate(self._free) if memory.size >= size]
            if fitting:
                self._memory = self._free.pop(min(fitting, key=lambda k: self._free[k].size))
            else:  # the largest that does not fit makes way; batches differ a little in length
                if self._free:
                    self._free.pop(max(range(len(self._free)), key=lambda k: self._free[k].size))
                self._memory = np.empty(size + size // 8, dtype=np.uint8)
        self.array: Floats = self._memory[:size].view(dtype).reshape(shape)

    def __del__(self) -> None:
        with self._lock:
            self._free.append(self._memory)
