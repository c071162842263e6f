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
from levcert.alphabet import EncodedTexts
from levcert.training.config import TrainingConfig
from levcert.training.loop import train
from levcert.training.network import ConvNetwork

SYMBOLS, CLASSES, BATCH, MEAN_LENGTH, PADDED = 56, 4, 128, 236, 1000


def random_batch(rng, texts=BATCH):
    """Texts of AG-News' lengths, characters as frequent as in English."""
    lengths = np.clip(rng.normal(MEAN_LENGTH, 66, texts), 20, 900).astype(int)
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
        "for layers in (1, 2): model = levcert.train(d, epochs=1, layers=layers, kernel_size=3, filters=4)\n"
        "model = levcert.train(d, epochs=1, kernel_size=3, filters=4)\n"
        "for method in ('exact', 'interval', 'lipslev'): levcert.certify(model, d.test.texts[:20], method)\n"
        "levcert.erp([[1.0]], [[2.0]])\n"
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
        prediction()
        compilation()
