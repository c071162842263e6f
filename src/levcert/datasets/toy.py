"""Letters or digits: a dataset that a model learns in a second, for tests."""

import random
import string

import numpy as np

from levcert.datasets.dataset import Dataset, Split


def load_toy(train_rows: int = 400, test_rows: int = 100) -> Dataset:
    """Make texts of 5 to 40 characters, nine in ten of them letters or digits according to the label."""
    rng = random.Random(0)
    kinds = (string.ascii_lowercase, string.digits)

    def split(rows: int) -> Split:
        labels = np.array([rng.randrange(2) for _ in range(rows)], dtype=np.int64)
        texts = []
        for label in labels:
            sources = rng.choices((kinds[label], kinds[1 - label]), weights=(9, 1), k=rng.randint(5, 40))
            texts.append("".join(map(rng.choice, sources)))
        return Split(texts, labels)

    return Dataset("toy", ("letters", "digits"), split(train_rows), split(test_rows), source="generated at run time")
