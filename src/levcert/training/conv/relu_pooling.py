"""Σ_i max(0, window i) of every text of a batch and its gradient, over the kernels, in threads if there are several."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import numpy as np

from levcert.kernels import conv_training
from levcert.kernels.conv_scores import Floats
from levcert.kernels.simd import LANES
from levcert.text.alphabet import EncodedTexts


class ReluPooling:
    """The pooled ``features`` of texts by a table of symbols × taps × filters, with what the way back needs."""

    def __init__(self, table: Floats, texts: EncodedTexts, threads: int) -> None:
        symbols, taps, self._filters = table.shape
        self._shape = symbols, taps, -(-self._filters // LANES) * LANES
        padded = np.zeros(self._shape, dtype=table.dtype)
        padded[..., : self._filters] = table
        features = np.empty((len(texts), self._shape[2]), dtype=table.dtype)
        self._parts = _parts(texts, threads)
        windows = [part.lengths + (taps - 1) * (part.lengths > 0) for part, _ in self._parts]
        self._active = [np.empty((int(count.sum()), self._shape[2]), dtype=np.uint8) for count in windows]

        def run(index: int) -> None:
            part, rows = self._parts[index]
            conv_training.relu_features(padded, part.ids, part.offsets, features[rows], self._active[index])

        _each(run, len(self._parts))
        self.features = features[:, : self._filters]

    def backward(self, gradient: Floats) -> Floats:
        """Return the gradient of the table, given that of the features."""
        padded = np.zeros((len(gradient), self._shape[2]), dtype=gradient.dtype)
        padded[:, : self._filters] = gradient
        shares = [np.zeros(self._shape, dtype=gradient.dtype) for _ in self._parts]

        def run(index: int) -> None:
            part, rows = self._parts[index]
            conv_training.relu_features_backward(
                padded[rows], part.ids, part.offsets, self._active[index], shares[index]
            )

        _each(run, len(self._parts))
        return np.ascontiguousarray(sum(shares[1:], start=shares[0])[..., : self._filters])


def _parts(texts: EncodedTexts, threads: int) -> list[tuple[EncodedTexts, slice]]:
    """Cut a batch into parts of about equal length, one per thread."""
    if threads == 1:
        return [(texts, slice(None))]
    marks = np.searchsorted(texts.offsets, texts.offsets[-1] * np.arange(1, threads) / threads)
    cuts = np.unique([0, *marks, len(texts)])
    if len(cuts) < 2:
        return [(texts, slice(None))]
    return [(texts.part(int(a), int(b)), slice(int(a), int(b))) for a, b in pairwise(cuts)]


def _each(run: Callable[[int], None], count: int) -> None:
    """Call ``run`` with 0 … count − 1, in threads if there are several: kernels release the interpreter lock."""
    if count == 1:
        run(0)
        return
    with ThreadPoolExecutor(count) as pool:
        list(pool.map(run, range(count)))
