"""Which classifiers are recognised: our models, scikit-learn's, pipelines of transformers, and any function."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any, Literal

import numpy as np

from levcert.errors import InputError
from levcert.models.any_classifier import Classifier
from levcert.models.linear.linear_ngrams import LinearNgrams
from levcert.models.window import WindowModel
from levcert.text.alphabet import Text


def as_classifier(
    model: Any,
    *,
    labels: Sequence[str] | None = None,
    batch_size: int = 1024,
    max_calls: int | None = None,
    key: Callable[[Text], Hashable] | None = None,
) -> Classifier:
    """Return anything that classifies texts in the form that certifiers, attacks and reports use.

    ``model`` is a levcert model, a fitted scikit-learn classifier of texts, a text-classification pipeline of
    transformers, or any function from a list of texts to labels or rows of scores.  ``labels`` name the classes of
    scores; by default they are ``classes_``, ``id2label`` or numbers.  ``batch_size`` texts are classified at once, and
    ``max_calls`` at most in all.  Two texts with the same ``key``, such as their tokens, are classified once: every
    claim assumes that they get the same answer.

    Examples:
        >>> def scores(texts):
        ...     return [[text.count("!"), 1.5] for text in texts]
        >>> classifier = levcert.as_classifier(scores, labels=["loud", "calm"])
        >>> levcert.certify(classifier, ["hey!!"], levcert.BruteForce(alphabet="!"))[0].label
        'loud'
    """
    if isinstance(model, Classifier):
        return model
    if batch_size < 1 or (max_calls is not None and max_calls < 1):
        raise InputError("batch_size and max_calls must be at least 1.")
    classifier = _recognised(model)
    classifier.batch_size, classifier.max_calls = batch_size, max_calls
    classifier.key = classifier.key if key is None else key
    if labels is not None:
        if isinstance(labels, str) or len(set(labels)) < max(len(labels), 2):
            raise InputError("labels must be a list of two or more different names, in the order of the scores.")
        classifier.names = tuple(labels)
    return classifier


def _recognised(model: Any) -> Classifier:
    if isinstance(model, WindowModel):
        alphabet = model.alphabet
        return Classifier(
            lambda texts: model.encoded_scores(alphabet.encode_many(texts)), model.labels, alphabet, source=model
        )
    if isinstance(model, LinearNgrams):
        front_end = model.front_end
        return Classifier(
            model.scores,  # type: ignore[arg-type]  # it rejects bytes
            model.labels,
            None,
            source=model,
            key=lambda text: front_end.seen(text) if isinstance(text, str) else text,
        )
    if hasattr(model, "predict") and hasattr(model, "classes_"):
        names = tuple(str(name) for name in np.asarray(model.classes_).tolist())
        return Classifier(model.predict, names, None, source=model, scorer=_scorer(model, len(names)))
    id2label = getattr(getattr(getattr(model, "model", None), "config", None), "id2label", None)
    if callable(model) and isinstance(id2label, dict):
        names = tuple(str(id2label[number]) for number in sorted(id2label))
        return Classifier(lambda texts: model(texts, top_k=None), names, None, source=model, key=_tokens(model))
    if not callable(model):
        raise InputError(
            "A classifier is a levcert model, a fitted scikit-learn classifier, or a function of a list of texts, "
            f"not {type(model).__name__}."
        )
    return Classifier(model, None, None, source=model)


def _scorer(model: Any, classes: int) -> Callable[[list[Text]], Any] | None:
    """Return scores for each class from decision_function (of two classes: one column) or predict_proba."""

    def scores(texts: list[Text]) -> Any:
        if hasattr(model, "decision_function"):
            found = np.asarray(model.decision_function(texts), dtype=np.float64)
            if found.ndim == 1 or found.shape[1] == 1:
                return np.column_stack([np.zeros(len(texts)), found.reshape(-1)])
            if found.shape[1] == classes:
                return found
        return np.asarray(model.predict_proba(texts), dtype=np.float64)

    return scores if hasattr(model, "decision_function") or hasattr(model, "predict_proba") else None


def _tokens(pipeline: Any) -> Callable[[Text], Hashable] | None:
    """Return what a pipeline of transformers makes of a text: the ids of its tokens."""
    tokenizer = getattr(pipeline, "tokenizer", None)
    return (lambda text: tuple(tokenizer(text)["input_ids"])) if callable(tokenizer) else None


def names_of(model: Any) -> tuple[str, ...] | None:
    """Return the labels that a model can give; None if it does not say."""
    return model.labels if isinstance(model, WindowModel) else as_classifier(model).names


def unit_of(model: Any) -> Literal["characters", "bytes"]:
    """Return what one edit of a text changes; functions classify characters."""
    return model.alphabet.kind if isinstance(model, WindowModel) else "characters"


def fold_of(model: Any) -> str:
    """Return the name of the fold of a model's alphabet; functions have none that we know of."""
    return model.alphabet.fold.name if isinstance(model, WindowModel) else "none"
