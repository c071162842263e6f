"""What most people would use: tf-idf of character n-grams and logistic regression of scikit-learn, imported exactly."""

from __future__ import annotations

from typing import Any

from levcert.datasets import Dataset
from levcert.errors import InputError
from levcert.models.linear.from_sklearn import from_sklearn
from levcert.models.linear.linear_ngrams import LinearNgrams
from levcert.models.training_record import TrainingRecord


def tfidf_baseline(dataset: Dataset, options: dict[str, Any]) -> LinearNgrams:
    """Fit the pipeline and import it: its labels are those of ``pipeline.predict``, and it can be certified.

    ``options``: ``longest`` n-grams, ``C`` and ``class_weight`` of the regression.
    """
    try:
        from sklearn.feature_extraction.text import TfidfVectorizer
        from sklearn.linear_model import LogisticRegression
        from sklearn.pipeline import make_pipeline
    except ImportError:
        raise InputError("The baseline needs scikit-learn; install levcert[sklearn].") from None
    vectors = TfidfVectorizer(analyzer="char", ngram_range=(1, options.get("longest", 4)))
    regression = LogisticRegression(C=options.get("C", 10.0), class_weight=options.get("class_weight"), max_iter=1000)
    texts = [str(text) for text in dataset.train.texts]
    model = from_sklearn(make_pipeline(vectors, regression).fit(texts, dataset.train.labels))
    model.labels = tuple(dataset.labels[int(number)] for number in model.labels)
    model.training = TrainingRecord(dict(options), {"name": dataset.name, "rows": len(dataset.train)}, {})
    return model
