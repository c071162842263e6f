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
from levcert.kernels.conv import Floats, Mask, fill

Places = npt.NDArray[np.int64]
Butterflies = npt.NDArray[np.int64]  # rows of the buffer: real and imaginary part of the one and of the other
Turns = npt.NDArray[np.floating[Any]]  # cosine and sine of w for each butterfly


@kernel
def _copy(source: Floats, target: Floats) -> None:
    for h in range(target.size):
        target[h] = source[h]


@kernel
def _add(one: Floats, other: Floats, target: Floats) -> None:
    for h in range(target.size):
        target[h] = one[h] + other[h]


@kernel
def _real(x: Floats, y: Floats) -> None:
    """(x, y) ← (x + y, x − y), which is its own transpose."""
    for h in range(x.size):
        a, b = x[h], y[h]
        x[h] = a + b
        y[h] = a - b


@kernel
def _complex(xr: Floats, xi: Floats, yr: Floats, yi: Floats, cosine: float, sine: float) -> None:
    """(x, y) ← (x + wy, x − wy) with w = cosine + i·sine."""
    for h in range(xr.size):
        a, b = xr[h], xi[h]
        c = cosine * yr[h] - sine * yi[h]
        d = sine * yr[h] + cosine * yi[h]
        xr[h] = a + c
        xi[h] = b + d
        yr[h] = a - c
        yi[h] = b - d


@kernel
def _complex_transposed(xr: Floats, xi: Floats, yr: Floats, yi: Floats, cosine: float, sine: float) -> None:
    """(x, y) ← (x + y, w̄(x − y)): the transpose of the real 4 × 4 matrix of :func:`_complex`."""
    for h in range(xr.size):
        a, b, c, d = xr[h], xi[h], yr[h], yi[h]
        xr[h] = a + c
        xi[h] = b + d
        yr[h] = cosine * (a - c) + sine * (b - d)
        yi[h] = cosine * (b - d) - sine * (a - c)


@kernel
def _analyse(buffer: Floats, butterflies: Butterflies, turns: Turns) -> None:
    """Transform the rows of one tile in place."""
    half = buffer.shape[0] // 2
    while half:
        for r in range(half):
            _real(buffer[r], buffer[half + r])
        half //= 2
    for k in range(butterflies.shape[0]):
        xr, xi, yr, yi = butterflies[k]
        _complex(buffer[xr], buffer[xi], buffer[yr], buffer[yi], turns[k, 0], turns[k, 1])


@kernel
def _synthesise(
    spectrum: Floats, tile: int, butterflies: Butterflies, turns: Turns, parts: Butterflies, buffer: Floats
) -> None:
    """The transpose of planes and transform: set the buffer to the rows of one tile."""
    _copy(spectrum[0, tile], buffer[0])
    _copy(spectrum[1, tile], buffer[1])
    for f in range(parts.shape[0]):
        both = spectrum[3 * f + 4, tile]
        _add(spectrum[3 * f + 2, tile], both, buffer[parts[f, 0]])
        _add(spectrum[3 * f + 3, tile], both, buffer[parts[f, 1]])
    for k in range(butterflies.shape[0] - 1, -1, -1):
        xr, xi, yr, yi = butterflies[k]
        _complex_transposed(buffer[xr], buffer[xi], buffer[yr], buffer[yi], turns[k, 0], turns[k, 1])
    half = 1
    while half < buffer.shape[0]:
        for r in range(half):
            _real(buffer[r], buffer[half + r])
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
    zero = rows.dtype.type(0)
    buffer = np.empty((2 * parts.shape[0] + 2, channels), dtype=rows.dtype)
    for tile in range(spectrum.shape[1]):
        for r in range(buffer.shape[0]):
            target = buffer[r]
            i = tile * step + r
            place = places[i] if r < count else -1
            if place < 0:
                fill(target, 0)
            elif active.size:
                source, mask = rows[place], active[i]
                for h in range(channels):
                    target[h] = source[h] if mask[h] else zero
            else:
                _copy(rows[place], target)
        _analyse(buffer, butterflies, turns)
        _copy(buffer[0], spectrum[0, tile])
        _copy(buffer[1], spectrum[1, tile])
        for f in range(parts.shape[0]):
            one, other = buffer[parts[f, 0]], buffer[parts[f, 1]]
            _copy(one, spectrum[3 * f + 2, tile])
            _copy(other, spectrum[3 * f + 3, tile])
            _add(one, other, spectrum[3 * f + 4, tile])


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
            if places[i] < 0:
                continue
            source, target = buffer[r], out[places[i]]
            if active.size:
                mask = active[i]
                for h in range(channels):
                    target[h] += max(source[h], zero)
                    mask[h] = source[h] > zero
            else:
                _add(source, target, target)


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
    buffer = np.empty((2 * parts.shape[0] + 2, spectrum.shape[2]), dtype=spectrum.dtype)
    for tile in range(spectrum.shape[1]):
        _synthesise(spectrum, tile, butterflies, turns, parts, buffer)
        begin = tile * step - before
        for r in range(max(0, -begin), min(buffer.shape[0], out.shape[0] - begin)):
            if tile and r < buffer.shape[0] - step:  # the tile before has been here
                _add(buffer[r], out[begin + r], out[begin + r])
            else:
                _copy(buffer[r], out[begin + r])
