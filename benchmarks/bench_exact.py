"""The exact radius of bounded votes: how much is closed, how fast, how many refinements, and how it grows; one core.

python benchmarks/bench_exact.py DATA_DIR MODEL.safetensors [MODEL ...] [--rows 200] [--most 10] [--whole] [--growth]

Times are those of the processor (time.process_time), so that other work on the machine does not count.
"""

import argparse
import os
import time

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np

import levcert
from levcert.certifiers.base import Batch
from levcert.certifiers.search.refine import Refine
from levcert.text.threat import ANY_EDIT

DISTANCES = (1, 2, 3, 5, 7, 10)


def verdicts(model, texts, most):
    """Radius, whether the interval is closed, refined edges, clusters of three and more, seconds: one row per text."""
    method = Refine(max_distance=most)
    method.verdicts(Batch(model, texts[:200], ANY_EDIT))  # compile, and make what all texts share
    rows = np.zeros((len(texts), 5))
    for number, text in enumerate(texts):
        started = time.process_time()
        search = method.search(Batch(model, [text], ANY_EDIT), 0)
        found = search.run()
        seconds = time.process_time() - started
        closed = found.upper == found.radius + 1 or (most is not None and found.radius >= most)
        refined, whole = (sum(getattr(c, name) for c in search.classes) for name in ("refinements", "whole_clusters"))
        rows[number] = found.radius, closed, refined, whole, seconds
    return rows


def print_table(name, rows, right):
    radius, closed, refined, whole, seconds = rows.T
    milliseconds = 1000 * seconds
    print(
        f"{name}: {len(rows)} texts, {closed.mean():.2%} closed; mean {milliseconds.mean():.1f} ms, median "
        f"{np.median(milliseconds):.1f}, 95 % within {np.quantile(milliseconds, 0.95):.1f}, longest "
        f"{milliseconds.max():.0f}, all {seconds.sum():.1f} s"
    )
    print("  verified: " + ", ".join(f"k={k} {np.mean(right & (radius >= k)):.2%}" for k in DISTANCES))
    print(
        f"  edges refined: {refined.mean():.0f} in the mean, {np.mean(refined > 0):.1%} of texts any, 95 % within "
        f"{np.quantile(refined, 0.95):.0f}, most {refined.max():.0f}; whole clusters: {np.mean(whole > 0):.2%} of texts"
    )


def print_growth(model, texts):
    """Texts of growing length (several test texts in a row), and growing numbers of edits."""
    print("  by length, up to 10 edits:")
    long = " ".join(texts)
    for length in (125, 250, 500, 1000, 2000, 4000):
        pieces = [long[start : start + length] for start in range(0, min(len(long) - length, 20 * length), length)]
        rows = verdicts(model, pieces, 10)
        print(f"    {length:5} characters: {1000 * rows[:, 4].mean():7.1f} ms, {rows[:, 1].mean():.0%} closed")
    print("  by the largest number of edits:")
    for most in (1, 2, 5, 10, 20, 40, None):
        rows = verdicts(model, texts, most)
        print(
            f"    {most or 'any':>5}: {rows[:, 1].mean():.2%} closed, mean {1000 * rows[:, 4].mean():.1f} ms, 95 % "
            f"within {1000 * np.quantile(rows[:, 4], 0.95):.0f}, longest {1000 * rows[:, 4].max():.0f}; "
            f"{rows[:, 2].mean():.0f} edges refined; radii up to {rows[:, 0].max():.0f}"
        )


def print_attack(model, texts, most):
    """How often the path over single edits and pairs is as near as the nearest counterexample."""
    found = levcert.attack(model, texts, "paths", max_distance=most)
    exact = levcert.certify(model, texts, "refine", max_distance=most)
    pairs = [(a.distance, b.upper) for a, b in zip(found, exact, strict=True) if b.claim == "exact" and b.upper > 0]
    print(f"  attack paths: nearest in {sum(a == b for a, b in pairs)} of {len(pairs)} texts with a counterexample")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data_dir")
    parser.add_argument("models", nargs="+")
    parser.add_argument("--rows", type=int, default=200)
    parser.add_argument("--most", type=int, default=10)
    parser.add_argument("--whole", action="store_true", help="the whole test set, too")
    parser.add_argument("--growth", action="store_true", help="growth with length and number of edits, too")
    arguments = parser.parse_args()
    for path in arguments.models:
        loaded = levcert.load(path)
        name = loaded.training.data["name"]
        test = levcert.load_dataset(name, arguments.data_dir).test
        all_texts = [str(text) for text in test.texts]
        answers = np.array([loaded.labels[number] for number in test.labels])
        for count in (arguments.rows, *([len(all_texts)] if arguments.whole else [])):
            chosen = all_texts[:count]
            print_table(
                f"{name} seed {loaded.training.config['seed']}",
                verdicts(loaded, chosen, arguments.most),
                loaded.predict(chosen) == answers[:count],
            )
        print_attack(loaded, all_texts[: arguments.rows], arguments.most)
        if arguments.growth:
            print_growth(loaded, all_texts[: arguments.rows])
