"""The pipeline that everyone writes, imported and certified, next to votes trained and certified on the same rows.

TfidfVectorizer(analyzer="char", ngram_range=(2, 5)) + LogisticRegression, on SST-2, AG-News and SMS spam: accuracy, the
share verified at k = 1 and 2, the share that survives the counterexamples found, and the seconds for each text.

    LEVCERT_DATA=… python benchmarks/imported_pipelines.py sst2 ag_news sms_spam --output rows.jsonl
"""

import argparse
import dataclasses
import json
import os
import time
from pathlib import Path

import numpy as np
import pyarrow.parquet as parquet
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

import levcert


def rows_of(name, train_rows, test_rows):
    """Return the first rows of both parts of a dataset, with names for labels."""
    if name == "sms_spam":
        parts = [
            parquet.read_table(Path(os.environ["LEVCERT_DATA"]) / name / f"{part}.parquet")
            for part in ("train", "test")
        ]
        found = [(part["text"].to_pylist(), [("ham", "spam")[y] for y in part["label"].to_pylist()]) for part in parts]
    else:
        dataset = levcert.load_dataset(name)
        found = [(list(part.texts), [dataset.labels[y] for y in part.labels]) for part in (dataset.train, dataset.test)]
    (texts, labels), (test, truth) = found
    return texts[:train_rows], labels[:train_rows], test[:test_rows], truth[:test_rows]


def measured(model, texts, truth, budget):
    """Certify texts up to two edits, and count."""
    levcert.certify(model, texts[:1], max_distance=2, budget=budget)  # compiles
    started = time.perf_counter()
    rows = levcert.certify(model, texts, max_distance=2, budget=budget)
    seconds = (time.perf_counter() - started) / len(texts)
    right = rows.label == np.array(truth)
    upper = np.where(np.isnan(rows.upper), np.inf, rows.upper)
    figures = {"accuracy": right.mean()}
    for k in (1, 2):
        figures[f"verified {k}"] = (right & (rows.radius >= k)).mean()
        figures[f"attacked {k}"] = (right & (upper > k)).mean()
        figures[f"undecided {k}"] = int((right & (rows.radius < k) & (upper > k)).sum())
    return figures | {"seconds per text": seconds}


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("datasets", nargs="+")
    parser.add_argument("--train-rows", type=int, default=20_000)
    parser.add_argument("--test-rows", type=int, default=200)
    parser.add_argument("--budget", type=float, default=60.0, help="seconds for each text")
    parser.add_argument("--output", type=Path, required=True)
    options = parser.parse_args()
    for name in options.datasets:
        texts, labels, test, truth = rows_of(name, options.train_rows, options.test_rows)
        started = time.perf_counter()
        vectorizer = TfidfVectorizer(analyzer="char", ngram_range=(2, 5))
        pipeline = make_pipeline(vectorizer, LogisticRegression(max_iter=1000)).fit(texts, labels)
        fitted = time.perf_counter() - started
        model = levcert.from_sklearn(pipeline)
        assert (model.predict(test) == pipeline.predict(test)).all()
        common = {"dataset": name, "train rows": len(texts), "test rows": len(test)}
        _write(
            options.output,
            common
            | {"model": "tfidf(2–5) + logistic regression", "fit": fitted}
            | measured(model, test, truth, options.budget),
        )
        names = tuple(sorted(set(labels)))
        number = {label: n for n, label in enumerate(names)}
        split = levcert.Split(texts, np.array([number[label] for label in labels]))
        nothing = dataclasses.replace(split, texts=[], labels=np.zeros(0, dtype=np.int64))
        started = time.perf_counter()
        votes = levcert.train(levcert.Dataset(name, names, split, nothing, "the same rows"), show_progress=False)
        fitted = time.perf_counter() - started
        _write(
            options.output, common | {"model": "votes", "fit": fitted} | measured(votes, test, truth, options.budget)
        )


def _write(path, row):
    print(row, flush=True)
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(row, default=float) + "\n")


if __name__ == "__main__":
    main()
