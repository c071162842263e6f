"""The exact search beyond one edit: how much is decided, how fast, and how it grows; one core.

python benchmarks/bench_exact.py MODEL.safetensors DATA_DIR [--rows 200]
"""

import argparse
import os
import time
from dataclasses import replace

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np

import levcert
from levcert.certifiers.base import Batch
from levcert.certifiers.exact import Exact
from levcert.certifiers.search.edit_pairs import PairSearch
from levcert.text.threat import ANY_EDIT


def decided(model, texts, k, **options):
    method = replace(Exact(), **options)
    levcert.certify(model, texts[:1], method, max_distance=k)
    rows, seconds = [], []
    for text in texts:
        started = time.perf_counter()
        rows.append(levcert.certify(model, [text], method, max_distance=k)[0])
        seconds.append(time.perf_counter() - started)
    share = np.mean([row.radius >= k or (row.upper is not None and row.upper <= k) for row in rows])
    seconds = np.array(seconds)
    print(
        f"k={k}: {share:.1%} decided, median {1000 * np.median(seconds):.0f} ms, 95 % within "
        f"{1000 * np.quantile(seconds, 0.95):.0f} ms, longest {seconds.max():.2f} s"
    )


def growth(model, texts):
    long = "".join(texts)
    print("pairs by length: expansions and time")
    for length in (60, 125, 250, 500, 1000, 2000):
        batch = Batch(model, [long[:length]], ANY_EDIT)
        search = PairSearch(batch, 0, evaluations=None)
        started = time.perf_counter()
        outcome = search.run()
        print(
            f"  {length:5} characters: {search.spent:6} expansions, {1000 * (time.perf_counter() - started):6.0f} ms, "
            f"{'robust' if outcome is None else 'counterexample'}"
        )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model")
    parser.add_argument("data_dir")
    parser.add_argument("--rows", type=int, default=200)
    arguments = parser.parse_args()
    loaded = levcert.load(arguments.model)
    data = levcert.load_dataset(loaded.training["data"]["name"], arguments.data_dir)
    rows = [str(text) for text in data.test.texts[: arguments.rows]]
    for distance in (1, 2, 3):
        decided(loaded, rows, distance)
    growth(loaded, rows)
