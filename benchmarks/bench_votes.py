"""Bounded votes on one core: training, prediction, certificates, and what each bound adds; one run, ratios beside.

python benchmarks/bench_votes.py DATA_DIR [--rows 200]

Times are those of the processor, so that they do not depend on what else the machine does.
"""

import argparse
import os
import time

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np

import levcert
from levcert.certifiers.search.edit_chains import Chains
from levcert.training.votes.config import VoteConfig
from levcert.training.votes.train import train_votes


def seconds_of(function):
    started = time.process_time()
    result = function()
    return result, time.process_time() - started


def training(dataset):
    small = levcert.Dataset(
        "warm", dataset.labels, dataset.train.take(slice(0, 200)), dataset.test.take(slice(0, 5)), ""
    )
    for edits in (0, 2):
        config = VoteConfig(orders=(5,), table_bits=18, edits=edits)
        train_votes(small, config, show_progress=False)
        model, seconds = seconds_of(lambda c=config: train_votes(dataset, c, show_progress=False))
        print(
            f"training {len(dataset.train):,} texts, one order, 3 epochs, {edits} worst edits: {seconds:.1f} s, "
            f"test accuracy {model.training.test_accuracy:.2%}, {model.votes.nbytes / 2**20:.0f} MB of votes"
        )
    return model


def speed(model, texts):
    model.predict(texts[:10])
    _, seconds = seconds_of(lambda: model.predict(texts))
    print(f"prediction: {len(texts) / seconds:,.0f} texts/s")
    levcert.certify(model, texts[:10], "lipschitz")
    _, seconds = seconds_of(lambda: levcert.certify(model, texts, "lipschitz"))
    print(f"one pass (lipschitz): {len(texts) / seconds:,.0f} texts/s")


def certificates(model, texts, truth):
    methods = {
        "one constant (lipschitz)": "lipschitz",
        "chains without symbols": Chains(symbols=False),
        "chains": Chains(),
        "and pairs searched (exact, k ≤ 2)": "exact",
    }
    for name, method in methods.items():
        limit = 2 if method == "exact" else 10
        levcert.certify(model, texts[:2], method, max_distance=limit)
        rows, seconds = seconds_of(lambda m=method, k=limit: levcert.certify(model, texts, m, max_distance=k))
        shares = [f"{100 * rows.verified_accuracy(truth, k).value:.1f}" for k in (1, 2, 5, 10) if k <= limit]
        print(f"{name:35} {1000 * seconds / len(texts):8.2f} ms   verified at 1/2/5/10: {' / '.join(shares)}")
    near = [text for text in texts if 200 <= len(text) <= 300]
    _, seconds = seconds_of(lambda: levcert.certify(model, near, "exact", max_distance=1))
    print(
        f"exact k=1, about {np.mean([len(text) for text in near]):.0f} characters: {1000 * seconds / len(near):.2f} ms"
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data_dir")
    parser.add_argument("--rows", type=int, default=200)
    arguments = parser.parse_args()
    data = levcert.load_dataset("ag_news", arguments.data_dir)
    trained = training(data)
    speed(trained, list(data.test.texts))
    some = data.test.take(slice(0, arguments.rows))
    certificates(trained, list(some.texts), [data.labels[y] for y in some.labels])
