"""The paper's network as anyone would write it in torch, and in the way of the released code."""

from __future__ import annotations

import numpy as np
import torch
from torch.nn import functional

from benchmarks.sizes import CLASSES, EMBEDDING, FILTERS, SYMBOLS, TAPS, random_texts

PADDED = 1010  # what the released code pads texts to


class PlainNetwork(torch.nn.Module):
    """Embedding and conv1d; with ``norms``, each layer is divided by its constant in every pass."""

    def __init__(self, norms):
        super().__init__()
        self.embedding = torch.nn.Embedding(SYMBOLS + 1, EMBEDDING, padding_idx=0)
        self.conv = torch.nn.Conv1d(EMBEDDING, FILTERS, TAPS, padding=TAPS - 1, bias=False)
        self.head = torch.nn.Linear(FILTERS, CLASSES, bias=False)
        self.norms = norms

    def forward(self, ids):
        E, K, W = self.embedding.weight, self.conv.weight, self.head.weight
        if self.norms:
            K = K / torch.linalg.matrix_norm(K.permute(2, 0, 1), 2).sum()
            E = E / torch.cdist(E, E).max()
            W = W / torch.cdist(W, W).max()
        values = functional.conv1d(functional.embedding(ids, E).transpose(1, 2), K, padding=TAPS - 1)
        return functional.linear(torch.relu(values).sum(dim=2), W)


def padded(texts, length):
    """Ids as one tensor with zeros behind each text."""
    ids = torch.zeros(len(texts), length, dtype=torch.long)
    for row, text in zip(ids, texts, strict=True):
        row[: len(text)] = torch.from_numpy(text[:length].astype(np.int64))
    return ids


def released_passes():
    """Return functions for five certificates and for 64 neighbours in the way of the released code.

    Texts are padded to 1,010; every forward pass recomputes all constants (p = 2); one pass takes one text at a time
    and three constants for each other class.  Tokenising is not counted.
    """
    network = PlainNetwork(norms=True)
    ids = padded(random_texts(64), PADDED)
    E, W = network.embedding.weight, network.head.weight

    def certificates():
        with torch.no_grad():
            for text in ids[:5]:
                network(text[None])
                for _ in range(CLASSES - 1):
                    for rows, others in ((E[text], E), (E, E), (W, W)):
                        torch.cdist(rows, others).max()

    def neighbours():
        with torch.no_grad():
            network(ids)

    return certificates, neighbours
