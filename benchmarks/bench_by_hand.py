"""What we wrote ourselves although a library has it, against that library; one core, ratios in one run.

CONTRIBUTING.md ("Written by hand") says what we decided from these figures.  bench_training.py has the FFT convolution
of deeper layers against torch's conv1d, bench_foundation.py encoding against a dictionary.
"""

import subprocess
import sys
import time

import numpy as np
from scipy.spatial.distance import cdist
from sklearn.feature_extraction.text import HashingVectorizer

from levcert import Alphabet, VoteModel, load_dataset
from levcert.certificates.share import Share
from levcert.kernels.farthest_pair import farthest_pair


def seconds(function, repeat=7):
    """The best of some runs, after one to warm up."""
    function()
    best = float("inf")
    for _ in range(repeat):
        started = time.perf_counter()
        function()
        best = min(best, time.perf_counter() - started)
    return best


def compare(what, ours, library, name):
    mine, theirs = seconds(ours), seconds(library)
    print(f"{what}: {1000 * mine:.3g} ms; {name} {1000 * theirs:.3g} ms = {theirs / mine:.1f}x")


def vote_scores():
    texts = list(load_dataset("languages").train.texts)[:2000]
    rng = np.random.default_rng(0)
    orders = (4, 6)
    votes = rng.integers(-127, 128, (2, 1 << 18, 4)).astype(np.int8)
    model = VoteModel(Alphabet.from_corpus(texts), votes, orders)
    hashing = [HashingVectorizer(analyzer="char", ngram_range=(n, n), norm=None, n_features=1 << 18) for n in orders]
    tables = [table.astype(np.float64) for table in votes]
    compare(
        "scores of bounded votes, 2,000 texts",
        lambda: model.scores(texts),
        lambda: sum(vectorizer.transform(texts) @ table for vectorizer, table in zip(hashing, tables, strict=True)),
        "HashingVectorizer and a sparse product",
    )


def farthest():
    columns = np.random.default_rng(0).normal(size=(150, 70)).astype(np.float32)
    for p, metric in ((1.0, "cityblock"), (2.0, "euclidean"), (np.inf, "chebyshev")):
        compare(
            f"farthest pair of 70 symbols, p = {p:g}",
            lambda p=p: farthest_pair(columns, p),
            lambda metric=metric: cdist(columns.T, columns.T, metric).argmax(),
            "scipy cdist",
        )


def start_up():
    def python(code):
        return seconds(lambda: subprocess.run([sys.executable, "-c", code], check=True), 5)

    bare = python("import numpy")
    own = python("from scipy.special import betaincinv") - bare
    theirs = python("from scipy.stats import binomtest") - bare
    print(f"Clopper-Pearson: importing scipy.special {1000 * own:.0f} ms, scipy.stats {1000 * theirs:.0f} ms")
    chart, plot = python("import levcert.reports.chart") - bare, python("import matplotlib.pyplot") - bare
    print(f"the report's chart: importing it {1000 * chart:.0f} ms, matplotlib.pyplot {1000 * plot:.0f} ms")
    from scipy.stats import binomtest

    interval = binomtest(37, 200).proportion_ci(0.95, "exact")
    assert np.allclose(Share(37, 200).interval, [interval.low, interval.high])


if __name__ == "__main__":
    vote_scores()
    farthest()
    start_up()
