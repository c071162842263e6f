"""What most people would use: tf-idf of character n-grams and logistic regression, as scikit-learn has it."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from levcert.datasets import Dataset
from levcert.errors import InputError
from levcert.models.training_record import TrainingRecord
from levcert.text.alphabet import Text


class TfidfBaseline:
    """A function from texts to log-odds of each class, which our attacks can query; nothing about it is certified."""

    def __init__(self, dataset: Dataset, options: dict[str, Any]) -> None:
        try:
            from sklearn.feature_extraction.text import TfidfVectorizer
            from sklearn.linear_model import LogisticRegression
            from sklearn.pipeline import make_pipeline
        except ImportError:
            raise InputError("The baseline needs scikit-learn; install levcert[sklearn].") from None
        longest = options.get("longest", 4)
        vectors = TfidfVectorizer(analyzer="char", ngram_range=(1, longest), sublinear_tf=True, lowercase=True)
        regression = LogisticRegression(
            C=options.get("C", 10.0), class_weight=options.get("class_weight"), max_iter=1000
        )
        self.labels = dataset.labels
        self.training = TrainingRecord(dict(options), {"name": dataset.name, "rows": len(dataset.train)}, {})
        self.pipeline = make_pipeline(vectors, regression).fit(
            [str(text) for text in dataset.train.texts], dataset.train.labels
        )

    def __call__(self, texts: list[Text]) -> npt.NDArray[np.float64]:
        """Return the log-odds of each class."""
        scores: npt.NDArray[np.float64] = self.pipeline.predict_log_proba([str(text) for text in texts])
        return scores

    def predict(self, texts: list[Text]) -> npt.NDArray[np.str_]:
        """Return the label of each text; of equal odds, the first."""
        predicted: npt.NDArray[np.str_] = np.array(self.labels, dtype=np.str_)[self(texts).argmax(axis=1)]
        return predicted
