"""What most people would use: tf-idf of character n-grams and logistic regression of scikit-learn, imported exactly."""

from __future__ import annotations

import time
from typing import Any

from levcert.datasets import Dataset
from levcert.errors import InputError
from levcert.models.linear.from_sklearn import from_sklearn
from levcert.models.linear.linear_ngrams import LinearNgrams
from levcert.models.training_record import TrainingRecord


def tfidf_baseline(dataset: Dataset, options: dict[str, Any]) -> LinearNgrams:
    """Return the baseline of the study on evaders: 1- to 4-grams, little regularisation, weights of classes."""
    orders = (1, options.get("longest", 4))
    return _imported(dataset, options, orders, C=options.get("C", 10.0), class_weight=options.get("class_weight"))


def default_pipeline(dataset: Dataset, options: dict[str, Any]) -> LinearNgrams:
    """Return the pipeline that everyone writes, with the defaults of scikit-learn; ``orders`` is such as 2-5."""
    shortest, longest = (int(order) for order in options["orders"].split("-"))
    return _imported(dataset, options, (shortest, longest))


def _imported(dataset: Dataset, options: dict[str, Any], orders: tuple[int, int], **regression: Any) -> LinearNgrams:
    """Fit the pipeline and import it: its labels are those of ``pipeline.predict``, and it can be certified."""
    try:
        from sklearn.feature_extraction.text import TfidfVectorizer
        from sklearn.linear_model import LogisticRegression
        from sklearn.pipeline import make_pipeline
    except ImportError:
        raise InputError("The baseline needs scikit-learn; install levcert[sklearn].") from None
    started = time.perf_counter()
    vectorizer = TfidfVectorizer(analyzer="char", ngram_range=orders)
    pipeline = make_pipeline(vectorizer, LogisticRegression(max_iter=1000, **regression))
    split = dataset.train
    pipeline.fit([str(text) for text in split.texts], split.labels)
    model = from_sklearn(pipeline)
    model.labels = tuple(dataset.labels[int(number)] for number in model.labels)  # in the order of the dataset
    data = {"name": dataset.name, "rows": len(split), "train": split.fingerprint}
    model.training = TrainingRecord(dict(options), data, {"seconds": round(time.perf_counter() - started, 3)})
    return model
