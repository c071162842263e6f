"""Speed of certifiers and attacks on a paper-sized model (56 symbols, q=10, 100 filters, 4 classes); one core, one run.

The model is random and the texts are random; both have AG-News' sizes.  Ratios compare methods in the same run.
"""

import os
import resource
import time

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
import torch
from bench_training import CLASSES, PlainNetwork, padded, random_batch

from levcert import Alphabet, ConvModel, attack, certify
from levcert.certifiers import certify_each
from levcert.text.ball import Ball


def paper_sized_model(symbols=56, seed=0):
    rng = np.random.default_rng(seed)
    return ConvModel(
        Alphabet("".join(map(chr, range(0x4E00, 0x4E00 + symbols)))),
        rng.normal(size=(symbols, 150)) / 20,
        [rng.normal(size=(10, 100, 150)) / 100],
        rng.normal(size=(4, 100)) / 10,
    )


def random_texts(model, lengths, seed=0):
    rng = np.random.default_rng(seed)
    frequency = np.exp(-np.arange(model.alphabet.size) / 8)
    frequency /= frequency.sum()
    return [model.alphabet.decode(rng.choice(model.alphabet.size, n, p=frequency) + 1) for n in lengths]


def milliseconds(function, texts, repeat=5):
    """The best of some runs, per text."""
    function(texts[:1])
    best = float("inf")
    for _ in range(repeat):
        started = time.perf_counter()
        function(texts)
        best = min(best, time.perf_counter() - started)
    return 1000 * best / len(texts)


def no_early_end(model, texts):
    """All single edits of each text, whether one of the first already changes the label or not."""
    for text in texts:
        model.edit_effects(model.alphabet.encode(text))


def methods():
    model = paper_sized_model()
    texts = random_texts(model, [250] * 20)
    many = random_texts(model, [236] * 2000)
    exact = milliseconds(lambda t: no_early_end(model, t), texts)
    print(f"exact k=1, every edit of 250 characters: {exact:.1f} ms per text")
    one_pass = {}
    for name in ("lipschitz", "lipslev"):
        one_pass[name] = milliseconds(lambda t, name=name: certify(model, t, name), many, 3)
        print(f"{name}, in batches, forward pass included: {1000 * one_pass[name]:.0f} µs per text")
    interval = milliseconds(lambda t: certify(model, t, "interval"), texts)
    print(f"interval: {interval:.1f} ms per text = {interval / exact:.1f}x exact")
    stubborn = [text for text in texts if not attack(model, [text], "charmer", max_distance=2)[0].success] or texts
    charmer = milliseconds(lambda t: attack(model, t, "charmer", max_distance=2), stubborn)
    print(f"charmer, two edits: {charmer:.1f} ms per text")
    ball = list(Ball(texts[0], 1, model.alphabet))
    brute = milliseconds(lambda t: model.scores(ball), texts[:1], 2)
    print(f"brute force, {len(ball):,} neighbours by our own kernels: {brute:.0f} ms = {brute / exact:.0f}x exact")
    torch.set_num_threads(1)
    network = PlainNetwork(exact_norms=False)
    encoded = random_batch(np.random.default_rng(0))[0]
    ids = padded(encoded, 250)
    with torch.no_grad():
        plain = milliseconds(lambda t: network(ids), texts[:1], 3) * len(ball) / len(ids)
    print(f"brute force with plain torch, by its cost per text: {plain / 1000:.1f} s = {plain / exact:.0f}x exact")
    released_one_pass, neighbour = released_code()
    times = released_one_pass / one_pass["lipslev"]
    print(f"one pass as the released code does it: {released_one_pass:.1f} ms per text = {times:.0f}x lipslev")
    brute = neighbour * len(ball)
    print(f"brute force as the released code does it: {brute / 1000:.0f} s per text = {brute / exact:.0f}x exact")


def released_code():
    """Milliseconds of one pass and of one neighbour in the way of the paper's code.

    Texts are padded to 1,010; every forward pass recomputes all constants (p = 2); one pass takes one text at a time
    and three constants for each other class, brute force 512 neighbours at a time.  Tokenising is not counted.
    """
    network = PlainNetwork(exact_norms=True)
    ids = padded(random_batch(np.random.default_rng(0), texts=512)[0], 1010)
    E, W = network.embedding.weight, network.head.weight

    def one_pass(texts):
        for text in texts:
            network(text[None])
            for _ in range(CLASSES - 1):
                for rows, others in ((E[text], E), (E, E), (W, W)):
                    torch.cdist(rows, others).max()

    with torch.no_grad():
        return milliseconds(one_pass, ids[:5], 3), milliseconds(network, ids, 2)


def growth():
    print("exact k=1 by length (56 symbols) and by alphabet (250 characters):")
    model = paper_sized_model()
    for length in (100, 250, 1000, 4000, 10_000):
        cost = milliseconds(lambda t: no_early_end(model, t), random_texts(model, [length]), 2)
        print(f"  {length:6,} characters: {cost:8.1f} ms = {1000 * cost / length:.1f} µs per character")
    for symbols in (25, 56, 125, 250, 500):
        larger = paper_sized_model(symbols)
        cost = milliseconds(lambda t, m=larger: no_early_end(m, t), random_texts(larger, [250]), 2)
        print(f"  {symbols:6,} symbols:    {cost:8.1f} ms = {1000 * cost / symbols:.0f} µs per symbol")


def memory():
    model = paper_sized_model()
    texts = random_texts(model, [100] * 50)
    peaks = []
    for count in (1_000, 20_000):
        for _ in certify_each(model, (texts[i % 50] for i in range(count)), "lipschitz"):
            pass
        peaks.append(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000)
    print(f"memory after 1,000 and after 20,000 certificates: {peaks[0]:.0f} MB, {peaks[1]:.0f} MB")


if __name__ == "__main__":
    methods()
    growth()
    memory()
