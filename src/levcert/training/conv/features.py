"""The convolution in training: our kernels inside an autograd function, and the plain torch twin."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from levcert.kernels import conv_scores
from levcert.kernels.conv_scores import Offsets
from levcert.text.alphabet import EncodedTexts
from levcert.training.conv.fft_convolution import convolve
from levcert.training.conv.relu_pooling import ReluPooling

ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = {
    "relu": functional.relu,
    "leaky_relu": functional.leaky_relu,
    "tanh": torch.tanh,
    "gelu": functional.gelu,
}


def table_of(E: Tensor, K: Tensor) -> Tensor:
    """T[a, j] = e_a K_jᵀ, with zeros for the padding; one matrix product."""
    taps, filters, inputs = K.shape
    return functional.pad(functional.linear(E, K.reshape(-1, inputs)), (0, 0, 1, 0)).view(-1, taps, filters)


def pooled_features(
    E: Tensor,
    kernels: list[Tensor],
    texts: EncodedTexts,
    activation: str = "relu",
    threads: int = 1,
    table: Tensor | None = None,
) -> Tensor:
    """Return Σ_i h_i of the last layer for each text; fast on a CPU.  ``table`` is that of E and K, if it is known."""
    table = table_of(E, kernels[0]) if table is None else table
    if len(kernels) == 1 and activation == "relu":
        return _PooledRelu.apply(table, texts, threads)  # type: ignore[no-any-return, no-untyped-call]
    return _pooled_deep(table, kernels[1:], texts, activation)


def plain_pooled_features(E: Tensor, kernels: list[Tensor], texts: EncodedTexts, activation: str = "relu") -> Tensor:
    """As :func:`pooled_features`, with embedding and conv1d on a padded batch: the twin, and what a GPU runs."""
    longest = int(texts.lengths.max(initial=0))
    ids = torch.zeros(len(texts), longest, dtype=torch.long)
    for row, text in zip(ids, texts, strict=True):
        row[: len(text)] = torch.from_numpy(text.astype(np.int64))
    values = functional.embedding(ids.to(E.device), functional.pad(E, (0, 0, 1, 0))).transpose(1, 2)
    for K in kernels:
        values = ACTIVATIONS[activation](functional.conv1d(values, K.permute(1, 2, 0).contiguous(), padding=len(K) - 1))
    return values.sum(dim=2)


class _PooledRelu(torch.autograd.Function):
    """One layer, ReLU and sum in one kernel; backwards a count of the windows that were positive."""

    @staticmethod
    def forward(ctx: Any, table: Tensor, texts: EncodedTexts, threads: int) -> Tensor:
        ctx.pooling = ReluPooling(table.detach().numpy(), texts, threads)
        return torch.from_numpy(ctx.pooling.features)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, None, None]:
        return torch.from_numpy(ctx.pooling.backward(gradients[0].numpy())), None, None


def _pooled_deep(table: Tensor, deeper: list[Tensor], texts: EncodedTexts, activation: str) -> Tensor:
    """Any depth: the table gives the first layer of all texts in one row, with room between them for the others.

    A full convolution lets each text grow by taps − 1; with zeros of that total width in between, texts never
    meet, and one convolution over the whole row serves the batch without padding to the longest.
    """
    relu, there = activation == "relu", texts.lengths > 0
    activate = (lambda rows: rows) if relu else ACTIVATIONS[activation]  # ReLU is part of the kernels
    filled = texts.lengths + (table.shape[1] - 1) * there
    room = filled + sum(len(K) - 1 for K in deeper)
    starts = np.concatenate([[0], np.cumsum(room)])
    values = activate(_TableRows.apply(table, texts, starts, relu))  # type: ignore[no-untyped-call]
    owners = _owners(filled, room)
    for layer, K in enumerate(deeper, start=1):
        filled = filled + (len(K) - 1) * there
        owners = _owners(filled, room)
        if len(K) == 1:  # nothing to save: a matrix product per row
            values = ACTIVATIONS[activation](functional.linear(values, K[0]))
        elif relu and layer == len(deeper):
            return convolve(values, K, owners, len(texts), relu=True)
        else:
            places = np.where(owners < 0, -1, np.arange(len(owners)))
            values = activate(convolve(values, K, places, len(owners), relu=relu))
    owned = torch.from_numpy(np.flatnonzero(owners >= 0))
    return values.new_zeros(len(texts), values.shape[1]).index_add(0, torch.from_numpy(owners)[owned], values[owned])


def _owners(filled: Offsets, room: Offsets) -> Offsets:
    """Return for each row the number of its text, −1 for the zeros behind it."""
    texts = np.stack([np.arange(len(room)), np.full(len(room), -1)], axis=1)
    return np.repeat(texts.ravel(), np.stack([filled, room - filled], axis=1).ravel())


class _TableRows(torch.autograd.Function):
    """The first layer's rows, each text's from ``starts[n]`` on, zeros in between; with or without ReLU."""

    @staticmethod
    def forward(ctx: Any, table: Tensor, texts: EncodedTexts, starts: Any, relu: bool) -> Tensor:
        array = table.detach().numpy()
        rows = np.zeros((int(starts[-1]), array.shape[2]), dtype=array.dtype)
        conv_scores.table_rows(array, texts.ids, texts.offsets, array.shape[1] - 1, rows, starts)
        if relu:
            np.maximum(rows, 0, out=rows)
        ctx.texts, ctx.starts, ctx.shape = texts, starts, array.shape
        ctx.positive = rows if relu else rows[:0]
        return torch.from_numpy(rows)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, None, None, None]:
        gradient = gradients[0].contiguous().numpy()
        share = np.zeros(ctx.shape, dtype=gradient.dtype)
        conv_scores.table_rows_backward(gradient, ctx.texts.ids, ctx.texts.offsets, ctx.starts, ctx.positive, share)
        return torch.from_numpy(share), None, None, None
