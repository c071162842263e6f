"""What does not depend on a model: encoding, distances, start-up, compilation."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time

import numpy as np
from scipy.spatial.distance import cdist

from benchmarks.measuring import Curve, Figure, memory_speed, seconds
from levcert import Alphabet, Ball, erp, load_dataset
from levcert.kernels.farthest_pair import farthest_pair

KERNELS = """
import levcert
data = levcert.load_dataset("toy")
for layers in (2, 1):
    model = levcert.train(data, model="conv", epochs=1, kernel_size=3, filters=4, layers=layers)
for method in ("exact", "interval", "lipslev"):
    levcert.certify(model, data.test.texts[:20], method)
"""


def measure():
    texts = [str(text) for text in load_dataset("languages").train.texts] * 5
    alphabet, characters = Alphabet.from_corpus(texts), sum(map(len, texts))
    number = {symbol: i for i, symbol in enumerate(alphabet.symbols, 1)}

    def with_a_dictionary():
        return [[number[c] for c in text.lower() if c in number] for text in texts]

    yield Figure(
        "encoding", seconds(lambda: alphabet.encode_many(texts), 5, characters), "character",
        {"dictionary loop": seconds(with_a_dictionary, 1, characters)},
        5 / memory_speed(1 << 26), "a byte read, an id of four bytes written",
    )  # fmt: skip
    columns = np.random.default_rng(0).normal(size=(150, 70)).astype(np.float32)
    yield Figure(
        "farthest pair of 70 embeddings", seconds(lambda: farthest_pair(columns, 2.0)), "step",
        {"scipy cdist": seconds(lambda: cdist(columns.T, columns.T).argmax())},
    )  # fmt: skip
    vectors = np.random.default_rng(0).normal(size=(1600, 16))
    yield Curve(
        "ERP, p = 2",
        "vectors",
        {n: seconds(lambda n=n: erp(vectors[:n], vectors[:n]), 2) for n in (200, 400, 800, 1600)},
    )
    sentence, letters = "the quick brown fox jumps over the lazy dog. " * 5, Alphabet("abcdefghijklmnopqrstuvwxyz .")
    yield Curve("counting a ball", "edits", {k: seconds(lambda k=k: Ball(sentence, k, letters), 1) for k in (1, 2, 3)})
    bare = start("pass")
    yield Figure(
        "import levcert", start("import levcert") - bare, "start", {"import numpy": start("import numpy") - bare}
    )
    yield Figure("levcert --help", start("from levcert.cli.app import main; main()", "--help"), "start")
    with tempfile.TemporaryDirectory() as cache:
        first, later = (start(KERNELS, NUMBA_CACHE_DIR=cache) for _ in range(2))
    yield Figure("compiling the paper's kernels, once per machine", first - later, "machine")


def start(code, *arguments, **environment):
    """Seconds of a new Python; the best of three, unless the first differs from the rest (an empty cache)."""
    times = []
    for _ in range(1 if environment else 3):
        started = time.perf_counter()
        command = [sys.executable, "-c", code, *arguments]
        subprocess.run(command, check=True, capture_output=True, env=os.environ | environment)
        times.append(time.perf_counter() - started)
    return min(times)
