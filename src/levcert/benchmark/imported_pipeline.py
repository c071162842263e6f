"""The pipeline that everyone writes, trained by scikit-learn and imported: its certificates hold for its own labels."""

from __future__ import annotations

import time
from typing import Any

from levcert.datasets import Dataset
from levcert.errors import InputError
from levcert.models.linear.from_sklearn import from_sklearn
from levcert.models.linear.linear_ngrams import LinearNgrams
from levcert.models.training_record import TrainingRecord


def imported_pipeline(dataset: Dataset, options: dict[str, Any]) -> LinearNgrams:
    """Fit TfidfVectorizer(analyzer="char", ngram_range=(2, 5)) and LogisticRegression to all training rows."""
    try:
        from sklearn.feature_extraction.text import TfidfVectorizer
        from sklearn.linear_model import LogisticRegression
        from sklearn.pipeline import make_pipeline
    except ImportError:
        raise InputError("This pipeline needs scikit-learn; install levcert[sklearn].") from None
    started = time.perf_counter()
    shortest, longest = (int(order) for order in options["orders"].split("-"))
    vectorizer = TfidfVectorizer(analyzer="char", ngram_range=(shortest, longest))
    pipeline = make_pipeline(vectorizer, LogisticRegression(max_iter=1000))
    split = dataset.train
    pipeline.fit([str(text) for text in split.texts], [dataset.labels[y] for y in split.labels])
    model = from_sklearn(pipeline)
    data = {"name": dataset.name, "rows": len(split), "train": split.fingerprint}
    model.training = TrainingRecord(dict(options), data, {"seconds": round(time.perf_counter() - started, 3)})
    return model
