"""Prediction and certificates for bounded votes, trained on embedded texts of AG-News' length."""

from __future__ import annotations

from sklearn.feature_extraction.text import HashingVectorizer

from benchmarks.measuring import Curve, Figure, memory_speed, seconds
from benchmarks.sizes import four_languages
from levcert import Ball, certify
from levcert.training.votes.config import VoteConfig
from levcert.training.votes.train import train_votes

ORDERS, BITS, LINE = (4, 6), 18, 64  # a cache line is the least that one n-gram's votes take from memory


def measure():
    data = four_languages()
    config = VoteConfig(orders=ORDERS, table_bits=BITS, edits=2, epochs=3)
    trained = seconds(lambda: train_votes(data, config, show_progress=False), 1, 3 * len(data.train))
    yield Figure("votes: training against two worst edits", trained, "text and epoch")
    model = train_votes(data, config, show_progress=False)
    texts = [str(text) for text in data.test.texts]
    long = ", ".join(texts)

    hashing = [HashingVectorizer(analyzer="char", ngram_range=(n, n), norm=None, n_features=1 << BITS) for n in ORDERS]
    tables = [table.astype(float) for table in model.votes]

    def sparse_products():
        return sum(vectorizer.transform(texts) @ table for vectorizer, table in zip(hashing, tables, strict=True))

    grams = sum(len(text) + n - 1 for text in texts for n in ORDERS) / len(texts)
    yield Figure(
        "votes: prediction", seconds(lambda: model.predict(texts), 5, len(texts)), "text",
        {"HashingVectorizer and a sparse product": seconds(sparse_products, 2, len(texts))},
        grams * LINE / memory_speed(model.votes.nbytes), "a cache line for each n-gram",
    )  # fmt: skip
    for name, most in (("lipschitz", None), ("chains", 10)):
        own = seconds(lambda name=name, most=most: certify(model, texts[:200], name, max_distance=most), 3, 200)
        yield Figure(f"votes: {name}" + (", one pass" if most is None else ", any number of edits up to ten"), own)
    ball = list(Ball(texts[0], 1, model.alphabet))
    naive = seconds(lambda: model.predict(ball), 1) * sum(map(len, texts[:50])) / 50 / len(texts[0])
    one = seconds(lambda: certify(model, texts[:50], "exact", max_distance=1), 3, 50)
    yield Figure("votes: exact verdict at one edit", one, "text", {"brute force with our kernels": naive})
    ten = seconds(lambda: certify(model, texts[:50], "exact", max_distance=10), 3, 50)
    yield Figure("votes: exact radius up to ten edits", ten, "text")

    def exact(pieces, most):
        return seconds(lambda: certify(model, pieces, "exact", max_distance=most), 2, len(pieces))

    by_length = {n: exact([long[i * n : i * n + n] for i in range(6)], 10) for n in (125, 250, 500, 1000, 2000, 4000)}
    yield Curve("votes: exact radius up to ten edits", "characters", by_length)
    yield Curve("votes: exact radius", "edits", {k: exact(texts[:30], k) for k in (1, 2, 5, 10, 20)})
    many = texts * 40
    count = {n: seconds(lambda n=n: certify(model, many[:n], "lipschitz"), 3) for n in (1, 10, 100, 1000, 10_000)}
    yield Curve("votes: lipschitz, all texts", "texts", count)
