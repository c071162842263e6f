"""Models and texts of AG-News' sizes: 56 symbols, 236 characters, kernels of 10 taps, 100 filters, 4 classes."""

from __future__ import annotations

import numpy as np

from levcert import Alphabet, ConvModel, Dataset, load_dataset
from levcert.datasets.dataset import Split
from levcert.text.alphabet import EncodedTexts

SYMBOLS, CLASSES, BATCH, LENGTH, TAPS, FILTERS, EMBEDDING = 56, 4, 128, 236, 10, 100, 150


def random_texts(texts=BATCH, mean=LENGTH, deviation=66, seed=0, symbols=SYMBOLS):
    """Texts of AG-News' lengths, symbols as frequent as in English."""
    rng = np.random.default_rng(seed)
    lengths = np.clip(rng.normal(mean, deviation, texts), 20, None).astype(int)
    frequency = np.exp(-np.arange(symbols) / 8)
    ids = rng.choice(symbols, lengths.sum(), p=frequency / frequency.sum()).astype(np.int32) + 1
    return EncodedTexts(ids, np.concatenate([[0], np.cumsum(lengths)]))


def random_network(symbols=SYMBOLS, seed=0):
    """A network of the paper's sizes with random weights."""
    rng = np.random.default_rng(seed)
    return ConvModel(
        Alphabet("".join(map(chr, range(0x4E00, 0x4E00 + symbols)))),
        rng.normal(size=(symbols, EMBEDDING)) / 20,
        [rng.normal(size=(TAPS, FILTERS, EMBEDDING)) / 100],
        rng.normal(size=(CLASSES, FILTERS)) / 10,
    )


def decoded(model, texts):
    """Ids as texts."""
    return [model.alphabet.decode(ids) for ids in texts]


def four_languages():
    """Four languages of the embedded dataset, three texts joined to one: about 230 characters, as in AG-News."""
    data = load_dataset("languages")

    def joined(split):
        texts, labels = [], []
        for label in range(CLASSES):
            own = [str(text) for text, number in zip(split.texts, split.labels, strict=True) if number == label]
            texts += [", ".join(own[i : i + 3]) for i in range(0, len(own) - 2, 3)]
            labels += [label] * ((len(own)) // 3)
        order = np.random.default_rng(0).permutation(len(texts))
        return Split([texts[i] for i in order], np.array(labels)[order])

    return Dataset("four languages", data.labels[:CLASSES], joined(data.train), joined(data.test), "")
