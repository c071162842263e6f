"""A training step of the paper's network: one layer against torch, two layers against torch's conv1d."""

from __future__ import annotations

from functools import partial

import numpy as np
import torch
from torch.nn import functional

from benchmarks.measuring import Figure, timed_in_turns
from benchmarks.sizes import CLASSES, EMBEDDING, FILTERS, SYMBOLS, TAPS, random_texts
from benchmarks.the_paper import PADDED, PlainNetwork, padded
from levcert.training.conv.config import TrainingConfig
from levcert.training.conv.features import pooled_features, table_of
from levcert.training.conv.network import ConvNetwork


def stepper(network, texts):
    """Return a function that makes one step of SGD."""
    # The rate is so small that the weights stay random: a trained or broken network has fewer active filters.
    optimiser = torch.optim.SGD(network.parameters(), lr=1e-6, momentum=0.9)
    labels = torch.from_numpy(np.random.default_rng(1).integers(0, CLASSES, len(texts)))

    def step():
        loss = functional.cross_entropy(network(texts), labels)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()

    return step


def measure():
    texts = random_texts()
    ours = stepper(ConvNetwork(TrainingConfig(), SYMBOLS, CLASSES), texts)
    tight = stepper(PlainNetwork(norms=False), padded(texts, int(texts.lengths.max())))
    released = stepper(PlainNetwork(norms=True), padded(texts, PADDED))
    for step in (ours, ours, tight, released):
        step()
    plain, whole, *own = timed_in_turns([tight, released, *[ours] * 10], 2)
    yield Figure(
        "training step, AG-News sizes, p = 2",
        min(own),
        "step",
        {"plain torch, tight batches": plain, "released code": whole},
    )
    yield from deeper_layers()


def conv1d_features(E, kernels, texts):
    """All texts in one row with room between them, the deeper layers by torch's conv1d."""
    room = sum(len(K) - 1 for K in kernels)
    starts = np.concatenate([[0], np.cumsum(texts.lengths + room)])
    ids = torch.zeros(int(starts[-1]), dtype=torch.long)
    within = np.arange(len(texts.ids)) - np.repeat(texts.offsets[:-1], texts.lengths)
    ids[torch.from_numpy(np.repeat(starts[:-1], texts.lengths) + within)] = torch.from_numpy(texts.ids.astype(np.int64))
    taps, table = len(kernels[0]), table_of(E, kernels[0])
    ids = functional.pad(ids, (taps - 1, 0))
    values = torch.relu(sum(table[ids[j : len(ids) - taps + 1 + j], j] for j in range(taps))).T
    for K in kernels[1:]:
        values = torch.relu(functional.conv1d(values, K.permute(1, 2, 0), padding=len(K) - 1)[:, : len(ids) - taps + 1])
    owners = torch.from_numpy(np.repeat(np.arange(len(texts)), np.diff(starts)))
    return values.new_zeros(len(texts), len(values)).index_add(0, owners, values.T)


def deeper_layers():
    """Gradients of two layers, and what the second layer adds."""
    texts, generator = random_texts(), torch.Generator().manual_seed(0)
    E, *kernels = (
        torch.randn(shape, generator=generator).mul(0.1).requires_grad_()
        for shape in [(SYMBOLS, EMBEDDING), (TAPS, FILTERS, EMBEDDING), (TAPS, FILTERS, FILTERS)]
    )

    def gradients(function, used):
        torch.autograd.grad(function(E, used, texts).sum(), [E, *used])

    variants = [
        partial(gradients, f, used) for f in (pooled_features, conv1d_features) for used in (kernels[:1], kernels)
    ]
    for variant in variants:
        variant()
    one, two, one_plain, two_plain = timed_in_turns(variants, 3)
    yield Figure("gradients of two layers", two, "step", {"torch conv1d": two_plain})
    yield Figure("the second layer alone", two - one, "step", {"torch conv1d": two_plain - one_plain})
