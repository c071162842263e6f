"""Convolutions through spectra: texts are cut into tiles, and each tile becomes its values at the roots of unity.

**The transform.**  A tile of N rows (N a power of two) is a polynomial u(z) = Σ_r u_r z^r in each channel.  The real
fast Fourier transform reduces it modulo the factors of z^N − 1, halving again and again:

    z^L − 1 = (z^{L/2} − 1)(z^{L/2} + 1)         sum and difference of the two halves, real;
    z^{2L} + 1 ∋ z^L − i                         the halves are real and imaginary part: nothing to compute;
    z^L − w² = (z^{L/2} − w)(z^{L/2} + w)        one complex butterfly per pair of rows.

What remains are u(1) and u(−1), real, and u(z) at one point z of each conjugate pair, complex.  The transform runs in
a buffer that fits the first cache, each butterfly over whole rows of channels; its transpose runs it backwards.

**Three products.**  A complex product a + bi times c + di takes three real products (Gauss): with
s = (a + b)·c, p = a·(d − c), q = b·(−c − d) it is (s + q) + (s + p)i.  So a spectrum keeps three planes per complex
point: both parts and their sum.  ``parts`` names the two rows of the buffer that hold the parts, in the order of the
planes: real part first for what is multiplied, imaginary part first for what comes out.

A spectrum has the shape (planes, tiles, channels): the products are one matrix product per plane.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from levcert.kernels.compile import kernel
from levcert.kernels.conv_scores import Floats, Mask

Places = npt.NDArray[np.int64]
Butterflies = npt.NDArray[np.int64]  # rows of the buffer: real and imaginary part of the one and of the other
Turns = npt.NDArray[np.floating[Any]]  # cosine and sine of w for each butterfly


# The helpers take whole arrays and the numbers of rows: a slice per call would cost as much as the loop behind it.


@kernel
def _real(buffer: Floats, x: int, y: int) -> None:
    """(x, y) ← (x + y, x − y), which is its own transpose."""
    for h in range(buffer.shape[1]):
        a, b = buffer[x, h], buffer[y, h]
        buffer[x, h] = a + b
        buffer[y, h] = a - b


@kernel
def _complex(buffer: Floats, xr: int, xi: int, yr: int, yi: int, cosine: float, sine: float) -> None:
    """(x, y) ← (x + wy, x − wy) with w = cosine + i·sine."""
    for h in range(buffer.shape[1]):
        a, b = buffer[xr, h], buffer[xi, h]
        c = cosine * buffer[yr, h] - sine * buffer[yi, h]
        d = sine * buffer[yr, h] + cosine * buffer[yi, h]
        buffer[xr, h] = a + c
        buffer[xi, h] = b + d
        buffer[yr, h] = a - c
        buffer[yi, h] = b - d


@kernel
def _complex_transposed(buffer: Floats, xr: int, xi: int, yr: int, yi: int, cosine: float, sine: float) -> None:
    """(x, y) ← (x + y, w̄(x − y)): the transpose of the real 4 × 4 matrix of :func:`_complex`."""
    for h in range(buffer.shape[1]):
        a, b, c, d = buffer[xr, h], buffer[xi, h], buffer[yr, h], buffer[yi, h]
        buffer[xr, h] = a + c
        buffer[xi, h] = b + d
        buffer[yr, h] = cosine * (a - c) + sine * (b - d)
        buffer[yi, h] = cosine * (b - d) - sine * (a - c)


@kernel
def _analyse(buffer: Floats, butterflies: Butterflies, turns: Turns) -> None:
    """Transform the rows of one tile in place."""
    half = buffer.shape[0] // 2
    while half:
        for r in range(half):
            _real(buffer, r, half + r)
        half //= 2
    for k in range(butterflies.shape[0]):
        xr, xi, yr, yi = butterflies[k, 0], butterflies[k, 1], butterflies[k, 2], butterflies[k, 3]
        _complex(buffer, xr, xi, yr, yi, turns[k, 0], turns[k, 1])


@kernel
def _synthesise(
    spectrum: Floats, tile: int, butterflies: Butterflies, turns: Turns, parts: Butterflies, buffer: Floats
) -> None:
    """The transpose of planes and transform: set the buffer to the rows of one tile."""
    for f in range(2):
        for h in range(buffer.shape[1]):
            buffer[f, h] = spectrum[f, tile, h]
    for f in range(parts.shape[0]):
        for side in range(2):
            row = parts[f, side]
            for h in range(buffer.shape[1]):
                buffer[row, h] = spectrum[3 * f + 2 + side, tile, h] + spectrum[3 * f + 4, tile, h]
    for k in range(butterflies.shape[0] - 1, -1, -1):
        xr, xi, yr, yi = butterflies[k, 0], butterflies[k, 1], butterflies[k, 2], butterflies[k, 3]
        _complex_transposed(buffer, xr, xi, yr, yi, turns[k, 0], turns[k, 1])
    half = 1
    while half < buffer.shape[0]:
        for r in range(half):
            _real(buffer, r, half + r)
        half *= 2


@kernel
def spectrum_of_rows(
    rows: Floats,
    places: Places,
    active: Mask,
    step: int,
    count: int,
    butterflies: Butterflies,
    turns: Turns,
    parts: Butterflies,
    spectrum: Floats,
) -> None:
    """Transform tiles of ``count`` rows and zeros behind them; a tile begins ``step`` rows after the one before.

    Row i is rows[places[i]], or zero where places[i] < 0.  With ``active`` (empty: not used) entries whose mask is 0
    are zero.
    """
    channels = spectrum.shape[2]
    zero = rows.dtype.type(0)  # a plain 0 would turn float32 into float64 and back
    buffer = np.empty((2 * parts.shape[0] + 2, channels), dtype=rows.dtype)
    for tile in range(spectrum.shape[1]):
        for r in range(buffer.shape[0]):
            i = tile * step + r
            place = places[i] if r < count else -1
            if place < 0:
                for h in range(channels):
                    buffer[r, h] = zero
            elif active.size:
                for h in range(channels):
                    buffer[r, h] = rows[place, h] if active[i, h] else zero
            else:
                for h in range(channels):
                    buffer[r, h] = rows[place, h]
        _analyse(buffer, butterflies, turns)
        for f in range(2):
            for h in range(channels):
                spectrum[f, tile, h] = buffer[f, h]
        for f in range(parts.shape[0]):
            one, other = parts[f, 0], parts[f, 1]
            for h in range(channels):
                spectrum[3 * f + 2, tile, h] = buffer[one, h]
            for h in range(channels):
                spectrum[3 * f + 3, tile, h] = buffer[other, h]
            for h in range(channels):
                spectrum[3 * f + 4, tile, h] = buffer[one, h] + buffer[other, h]


@kernel
def rows_of_spectrum(
    spectrum: Floats,
    places: Places,
    active: Mask,
    step: int,
    butterflies: Butterflies,
    turns: Turns,
    parts: Butterflies,
    out: Floats,
) -> None:
    """Add the first ``step`` rows of each tile to out[places[i]]; those with places[i] < 0 are dropped.

    With ``active`` (empty: not used) ReLU comes before the sum, and the mask keeps what was > 0.
    """
    channels = spectrum.shape[2]
    zero = spectrum.dtype.type(0)
    buffer = np.empty((2 * parts.shape[0] + 2, channels), dtype=spectrum.dtype)
    for tile in range(spectrum.shape[1]):
        _synthesise(spectrum, tile, butterflies, turns, parts, buffer)
        for r in range(step):
            i = tile * step + r
            place = places[i]
            if place < 0:
                continue
            if active.size:
                for h in range(channels):
                    active[i, h] = buffer[r, h] > zero
                for h in range(channels):
                    out[place, h] += max(buffer[r, h], zero)
            else:
                for h in range(channels):
                    out[place, h] += buffer[r, h]


@kernel
def overlapped_rows_of_spectrum(
    spectrum: Floats,
    before: int,
    step: int,
    butterflies: Butterflies,
    turns: Turns,
    parts: Butterflies,
    out: Floats,
) -> None:
    """Set ``out`` to the sum of all tiles, all of whose rows count and overlap; the first tile begins at −before."""
    channels = spectrum.shape[2]
    buffer = np.empty((2 * parts.shape[0] + 2, channels), dtype=spectrum.dtype)
    for tile in range(spectrum.shape[1]):
        _synthesise(spectrum, tile, butterflies, turns, parts, buffer)
        begin = tile * step - before
        for r in range(max(0, -begin), min(buffer.shape[0], out.shape[0] - begin)):
            if tile and r < buffer.shape[0] - step:  # the tile before has been here
                for h in range(channels):
                    out[begin + r, h] += buffer[r, h]
            else:
                for h in range(channels):
                    out[begin + r, h] = buffer[r, h]
