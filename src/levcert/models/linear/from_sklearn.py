"""Import a scikit-learn pipeline of character n-grams and a linear classifier, exactly or not at all.

Nothing here imports scikit-learn: the steps of the pipeline are recognised by the names of their classes.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from levcert.errors import InputError
from levcert.models.linear.front_end import FrontEnd
from levcert.models.linear.linear_ngrams import Array, LinearNgrams

_LINEAR: Final = (
    "LogisticRegression", "LogisticRegressionCV", "LinearSVC", "SGDClassifier", "RidgeClassifier", "RidgeClassifierCV",
    "Perceptron", "PassiveAggressiveClassifier",
)  # fmt: skip
_BAYES: Final = ("MultinomialNB", "ComplementNB")
_INSTEAD: Final = "certify(pipeline, texts, 'smoothing') and brute-force work for any classifier"


def from_sklearn(pipeline: Any) -> LinearNgrams:
    """Return a fitted scikit-learn pipeline as a model whose certificates apply to ``pipeline.predict``.

    The pipeline has a CountVectorizer or TfidfVectorizer (or a CountVectorizer and a TfidfTransformer) with
    ``analyzer="char"`` or ``"char_wb"`` and a linear classifier: logistic regression, a linear SVM, SGD, ridge,
    perceptron, or multinomial or complement naive Bayes.  What cannot be imported soundly is rejected with the reason.

    Examples:
        >>> from sklearn.feature_extraction.text import TfidfVectorizer
        >>> from sklearn.linear_model import LogisticRegression
        >>> from sklearn.pipeline import make_pipeline
        >>> texts, labels = ["win a prize", "free money", "see you at lunch", "dinner?"], ["spam", "spam", "ham", "ham"]
        >>> vectorizer = TfidfVectorizer(analyzer="char", ngram_range=(1, 3))
        >>> pipeline = make_pipeline(vectorizer, LogisticRegression()).fit(texts, labels)
        >>> model = levcert.from_sklearn(pipeline)
        >>> levcert.certify(model, ["win a free prize"], max_distance=1)[0].label
        'spam'
    """
    vectorizer, tfidf, classifier = _steps(pipeline)
    _check_vectorizer(vectorizer)
    idf, norm = _tfidf(tfidf)
    weights, intercept = _linear(classifier)
    vocabulary = getattr(vectorizer, "vocabulary_", None)
    if vocabulary is None:
        raise InputError("The vectorizer of the pipeline is not fitted; call pipeline.fit(texts, labels) first.")
    if len(vocabulary) != len(weights):
        raise InputError(f"The classifier has {len(weights)} features, but the vectorizer {len(vocabulary)}; fit both.")
    front_end, grams = _grams(vectorizer, vocabulary)
    origin = " + ".join(_name(step) for step in (vectorizer, tfidf, classifier) if step is not None)
    if tfidf is vectorizer:
        origin = f"{_name(vectorizer)} + {_name(classifier)}"
    labels = [str(label) for label in np.asarray(classifier.classes_).tolist()]
    return LinearNgrams(front_end, grams, weights, intercept, idf=idf, norm=norm, labels=labels, origin=origin)


def _name(step: Any) -> str:
    """Return the name of scikit-learn's class, or "" for any other, subclasses of these among them."""
    kind = type(step)
    return kind.__name__ if kind.__module__.partition(".")[0] == "sklearn" else ""


def _steps(pipeline: Any) -> tuple[Any, Any, Any]:
    """Return the vectorizer, what applies idf and norm (None: nothing does), and the classifier."""
    if _name(pipeline) != "Pipeline":
        raise InputError(
            f"from_sklearn imports a fitted sklearn Pipeline, not {type(pipeline).__name__}; "
            "use make_pipeline(TfidfVectorizer(analyzer='char'), LogisticRegression())."
        )
    steps = [step for _, step in pipeline.steps if step not in (None, "passthrough")]
    names = [_name(step) for step in steps]
    if len(steps) == 2 and names[0] in ("CountVectorizer", "TfidfVectorizer"):
        return steps[0], steps[0] if names[0] == "TfidfVectorizer" else None, steps[1]
    if len(steps) == 3 and names[:2] == ["CountVectorizer", "TfidfTransformer"]:
        return steps[0], steps[1], steps[2]
    if "HashingVectorizer" in names:
        raise InputError(
            "A HashingVectorizer has no vocabulary: every one of 1,114,112 characters gives n-grams with weights of "
            "their own, so none stands for the others, and one edit of 100 characters means billions of hashes; use a "
            "TfidfVectorizer, or certify(pipeline, texts), which tries every edit with printable ASCII."
        )
    given = " → ".join(name or type(step).__name__ for name, step in zip(names, steps, strict=True))
    raise InputError(
        f"The pipeline is {given}; from_sklearn imports a CountVectorizer or TfidfVectorizer followed by a linear "
        f"classifier. {_INSTEAD}."
    )


def _check_vectorizer(vectorizer: Any) -> None:
    if vectorizer.analyzer not in ("char", "char_wb"):
        kind = repr(vectorizer.analyzer) if isinstance(vectorizer.analyzer, str) else "a function"
        raise InputError(
            f"The analyzer is {kind}, for which one edit can change any number of features; use analyzer='char' or "
            "'char_wb'."
        )
    if vectorizer.preprocessor is not None or callable(vectorizer.strip_accents):
        raise InputError(
            "The vectorizer has a preprocessor of its own, which may turn one edit into many; use lowercase= and "
            "strip_accents='unicode' or 'ascii' instead."
        )
    if vectorizer.binary:
        raise InputError("binary=True counts an n-gram once, so scores are not a sum over n-grams; use binary=False.")
    if vectorizer.input != "content":
        raise InputError(f"The vectorizer reads its texts with input={vectorizer.input!r}; use input='content'.")
    if np.dtype(vectorizer.dtype) not in (np.dtype(np.float64), np.dtype(np.int64)):
        raise InputError(f"The vectorizer's dtype is {np.dtype(vectorizer.dtype)}; use its default, int64 or float64.")
    if vectorizer.analyzer == "char_wb" and vectorizer.ngram_range[0] < 2:
        raise InputError("char_wb counts a space between two words twice among 1-grams; use ngram_range=(2, …).")


def _tfidf(step: Any) -> tuple[Array | None, Any]:
    """Return the idf factors and the norm of a step."""
    if step is None:
        return None, None
    if step.sublinear_tf:
        raise InputError(
            "sublinear_tf=True takes the logarithm of counts, so scores are not a sum over n-grams; use "
            "sublinear_tf=False."
        )
    if step.norm not in (None, "l1", "l2"):
        raise InputError(f"norm={step.norm!r} is not supported; use 'l2', 'l1' or None.")
    idf = None if not step.use_idf else getattr(step, "idf_", None)
    if step.use_idf and idf is None:
        raise InputError("The pipeline is not fitted; call pipeline.fit(texts, labels) first.")
    return None if idf is None else np.asarray(idf, dtype=np.float64), step.norm


def _linear(classifier: Any) -> tuple[Array, Array]:
    """Return the weights, n-grams × classes, and the constants; of two classes, the first scores 0."""
    name = _name(classifier)
    if name not in (*_LINEAR, *_BAYES):
        shown = name or type(classifier).__name__
        raise InputError(
            f"{shown} is not a linear classifier that from_sklearn knows; use one of {', '.join((*_LINEAR, *_BAYES))}. "
            f"{_INSTEAD}."
        )
    if not hasattr(classifier, "classes_"):
        raise InputError("The classifier of the pipeline is not fitted; call pipeline.fit(texts, labels) first.")
    classes = len(classifier.classes_)
    if name in _BAYES:
        weights, intercept = classifier.feature_log_prob_, classifier.class_log_prior_
        if name == "ComplementNB":
            intercept = np.zeros(classes)
    else:
        weights, intercept = classifier.coef_, classifier.intercept_
    if not isinstance(weights, np.ndarray):
        raise InputError("The weights are sparse; call densify() on the classifier first.")
    if weights.dtype != np.float64:
        raise InputError(f"The weights are {weights.dtype}; fit the pipeline on float64 features.")
    weights = np.atleast_2d(weights)
    if weights.ndim != 2 or len(weights) not in (1, classes) or classes < 2:
        raise InputError(f"Weights of shape {weights.shape} do not fit {classes} classes; fit with one label per text.")
    intercept = np.broadcast_to(np.asarray(intercept, dtype=np.float64), len(weights))
    if len(weights) == 1:
        weights, intercept = np.vstack([np.zeros_like(weights), weights]), np.array([0.0, intercept[0]])
    return np.ascontiguousarray(weights.T), np.array(intercept)


def _grams(vectorizer: Any, vocabulary: dict[str, int]) -> tuple[FrontEnd, npt.NDArray[np.int32]]:
    """Return the characters of the vocabulary, and its n-grams in the order of their features.

    N-grams that the analyzer never produces get no ids, so that no text contains them.
    """
    shortest, longest = vectorizer.ngram_range
    words = vectorizer.analyzer == "char_wb"
    if not all(isinstance(gram, str) for gram in vocabulary):
        raise InputError("The vocabulary contains something that is not a str; fit the vectorizer on texts.")
    characters = "".join(sorted(set().union(*vocabulary)))
    front_end = FrontEnd(characters, bool(vectorizer.lowercase), vectorizer.strip_accents, words)
    grams = np.zeros((len(vocabulary), longest), dtype=np.int32)
    number = {character: id_ for id_, character in enumerate(characters, 1)}
    for gram, row in vocabulary.items():
        # A word shorter than the shortest n-gram is counted once, with a space on both sides.
        whole = words and len(gram) < shortest and gram[:1] == gram[-1:] == " " and len(gram) > 2
        inside = words and any(character.isspace() for character in gram[1:-1])
        if (shortest <= len(gram) <= longest or whole) and not inside:
            grams[row, : len(gram)] = [number[character] for character in gram]
    return front_end, grams
