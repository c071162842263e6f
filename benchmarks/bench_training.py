"""A training step against plain torch, prediction speed, compile time and memory; one core, ratios in one run.

Run without arguments it uses random texts of AG-News' shape, so it needs no data.  ``--imdb DATA_DIR`` measures
the memory of training on IMDB instead.
"""

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
import torch
from torch.nn import functional

from levcert import Alphabet, load_dataset
from levcert.text.alphabet import EncodedTexts
from levcert.training.conv.config import TrainingConfig
from levcert.training.conv.features import pooled_features, table_of
from levcert.training.conv.loop import train
from levcert.training.conv.network import ConvNetwork

SYMBOLS, CLASSES, BATCH, MEAN_LENGTH, PADDED = 56, 4, 128, 236, 1000


def random_batch(rng, texts=BATCH, mean=MEAN_LENGTH, deviation=66):
    """Texts of AG-News' lengths (unless told), characters as frequent as in English."""
    lengths = np.clip(rng.normal(mean, deviation, texts), 20, 900).astype(int)
    frequency = np.exp(-np.arange(SYMBOLS) / 8)
    ids = rng.choice(SYMBOLS, lengths.sum(), p=frequency / frequency.sum()).astype(np.int32) + 1
    return EncodedTexts(ids, np.concatenate([[0], np.cumsum(lengths)])), torch.from_numpy(
        rng.integers(0, CLASSES, texts)
    )


class PlainNetwork(torch.nn.Module):
    """Embedding and conv1d as anyone would write them, each layer divided by its constant every step."""

    def __init__(self, exact_norms):
        super().__init__()
        self.embedding = torch.nn.Embedding(SYMBOLS + 1, 150, padding_idx=0)
        self.conv = torch.nn.Conv1d(150, 100, 10, padding=9, bias=False)
        self.head = torch.nn.Linear(100, CLASSES, bias=False)
        self.exact_norms = exact_norms

    def forward(self, ids):
        E, K, W = self.embedding.weight, self.conv.weight, self.head.weight
        if self.exact_norms:
            K = K / torch.linalg.matrix_norm(K.permute(2, 0, 1), 2).sum()
            E = E / torch.cdist(E, E).max()
            W = W / torch.cdist(W, W).max()
        values = functional.conv1d(functional.embedding(ids, E).transpose(1, 2), K, padding=9)
        return functional.linear(torch.relu(values).sum(dim=2), W)


def padded(texts, length):
    ids = torch.zeros(len(texts), length, dtype=torch.long)
    for row, text in zip(ids, texts, strict=True):
        row[: len(text)] = torch.from_numpy(text[:length].astype(np.int64))
    return ids


def step_seconds(network, batches, repeat):
    optimiser = torch.optim.SGD(network.parameters(), lr=0.1, momentum=0.9)
    best = float("inf")
    for _ in range(repeat):
        for texts, labels in batches:
            started = time.perf_counter()
            loss = functional.cross_entropy(network(texts), labels)
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            best = min(best, time.perf_counter() - started)
    return 1000 * best


def steps():
    rng = np.random.default_rng(0)
    batches = [random_batch(rng) for _ in range(4)]
    network = ConvNetwork(TrainingConfig(), SYMBOLS, CLASSES)
    ours = step_seconds(network, batches, 10)
    tight = [(padded(texts, int(texts.lengths.max())), labels) for texts, labels in batches]
    plain = step_seconds(PlainNetwork(exact_norms=False), tight, 2)
    wide = [(padded(texts, PADDED), labels) for texts, labels in batches[:2]]
    released = step_seconds(PlainNetwork(exact_norms=True), wide, 1)
    print(f"training step (batch 128, p=2): ours {ours:.1f} ms")
    print(f"  plain torch, padded to the longest of the batch: {plain:.0f} ms = {plain / ours:.0f}x ours")
    print(
        f"  padded to 1,000 with exact spectral norms (released code): {released:.0f} ms = {released / ours:.0f}x ours"
    )


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
    """A step of two layers against the same with conv1d, and what the second layer adds in both."""
    for name, taps, mean, deviation in (("SST-2", 5, 54, 35), ("AG-News", 10, MEAN_LENGTH, 66)):
        rng = np.random.default_rng(0)
        batches = [random_batch(rng, mean=mean, deviation=deviation)[0] for _ in range(3)]
        generator = torch.Generator().manual_seed(0)
        E, *kernels = (
            torch.randn(shape, generator=generator).mul(0.1).requires_grad_()
            for shape in [(SYMBOLS, 150), (taps, 100, 150), (taps, 100, 100)]
        )
        variants = [
            (function, used) for function in (conv1d_features, pooled_features) for used in (kernels[:1], kernels)
        ]
        best = [float("inf")] * len(variants)
        for texts in batches * 3:  # in turns: other work on the machine then slows all of them
            for k, (function, used) in enumerate(variants):
                started = time.perf_counter()
                torch.autograd.grad(function(E, used, texts).sum(), [E, *used])
                best[k] = min(best[k], 1000 * (time.perf_counter() - started))
        one_plain, two_plain, one, two = best
        print(f"two layers of {taps} taps, texts as in {name}: ours {two:.1f} ms per step", end=", ")
        print(f"conv1d {two_plain:.1f} ms = {two_plain / two:.1f}x", end="; ")
        layer, plain = two - one, two_plain - one_plain
        print(f"the second layer alone {layer:.1f} against {plain:.1f} ms = {plain / layer:.1f}x")


def prediction():
    rng = np.random.default_rng(1)
    alphabet = Alphabet("".join(map(chr, range(32, 65))) + "abcdefghijklmnopqrstuvw")
    model = ConvNetwork(TrainingConfig(), alphabet.size, CLASSES).fold(alphabet, ("a", "b", "c", "d"))
    texts = [alphabet.decode(ids) for ids in random_batch(rng, 4000)[0]]
    model.scores(texts[:1])
    best = float("inf")
    for _ in range(5):
        started = time.perf_counter()
        model.scores(texts)
        best = min(best, time.perf_counter() - started)
    print(f"prediction: {len(texts) / best:,.0f} texts of {MEAN_LENGTH} characters per second, encoding included")


def compilation():
    code = (
        "import levcert; d = levcert.load_dataset('toy')\n"
        "options = {'model': 'conv', 'epochs': 1, 'kernel_size': 3, 'filters': 4}\n"
        "for layers in (2, 1): model = levcert.train(d, layers=layers, **options)\n"
        "for method in ('exact', 'interval', 'lipslev'): levcert.certify(model, d.test.texts[:20], method)\n"
    )
    with tempfile.TemporaryDirectory() as cache:
        times = []
        for _ in range(2):
            started = time.perf_counter()
            environment = os.environ | {"NUMBA_CACHE_DIR": cache}
            subprocess.run([sys.executable, "-c", code], check=True, env=environment, stderr=subprocess.DEVNULL)
            times.append(time.perf_counter() - started)
    print(f"all kernels: first use {times[0] - times[1]:.1f} s more than later ones ({times[1]:.1f} s)")


def imdb(data_dir):
    dataset = load_dataset("imdb", data_dir)
    started = time.perf_counter()
    train(dataset, epochs=1)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    print(f"one epoch of IMDB, whole reviews: {time.perf_counter() - started:.0f} s, at most {peak:.2f} GB")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--imdb", metavar="DATA_DIR")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    if arguments.imdb:
        imdb(arguments.imdb)
    else:
        steps()
        deeper_layers()
        prediction()
        compilation()
