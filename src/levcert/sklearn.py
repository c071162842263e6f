"""The scikit-learn face: a classifier of texts that fits, predicts and certifies."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.pipeline import Pipeline
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from levcert.certificates.certificates import Certificates
from levcert.certifiers import certify
from levcert.datasets import Dataset, Split
from levcert.errors import InputError
from levcert.models.load import load
from levcert.models.window import WindowModel
from levcert.text.threat import Threat
from levcert.training.model_families import Family
from levcert.training.train import train

Array = npt.NDArray[Any]

_SEED: Final = 1
_LARGEST_SEED: Final = 2**31 - 1
_TEXTS_AT_ONCE: Final = 1024


class LevenshteinClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """A levcert model as an estimator: X is a list, array or series of texts, y their classes.

    ``model`` is the family: "votes", or "conv" for the paper's network, which needs torch to fit.  Further keywords
    are options of its training (see docs/training.md) and parameters like all others: ``set_params``, ``clone`` and
    grid searches know them.  ``method`` and ``max_distance`` are what :meth:`certify` uses.  ``random_state=None`` is
    a fixed seed: the same data give the same model.

    Examples:
        >>> data = levcert.load_dataset("toy")
        >>> labels = [data.labels[y] for y in data.train.labels]
        >>> classifier = levcert.LevenshteinClassifier(orders=(2, 3), epochs=2).fit(data.train.texts, labels)
        >>> classifier.predict(["hello w0rld"])
        array(['letters'], dtype='<U7')
    """

    def __init__(
        self,
        model: Family = "votes",
        *,
        method: str = "auto",
        max_distance: int | None = None,
        random_state: int | np.random.RandomState | None = None,
        **options: Any,
    ) -> None:
        self.model = model
        self.method = method
        self.max_distance = max_distance
        self.random_state = random_state
        self.options = options

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return all parameters, the options of training that were given among them."""
        return super().get_params(deep) | self.options  # type: ignore[no-any-return]

    def set_params(self, **params: Any) -> Self:
        """Set parameters; names that are not ours are options of training, which :meth:`fit` checks."""
        own = super().get_params(deep=False)
        for name, value in params.items():
            if name in own:
                setattr(self, name, value)
            else:
                self.options[name] = value
        return self

    def fit(self, X: Iterable[str], y: Iterable[Any], sample_weight: Iterable[float] | None = None) -> Self:
        """Train the model on texts and their classes; ``sample_weight`` says how much each text counts."""
        texts = _texts(X)
        self.classes_, numbers = _classes(y, len(texts))
        names = tuple(map(str, self.classes_.tolist()))
        nothing = Split([], np.zeros(0, dtype=np.int64))
        dataset = Dataset("estimator", names, Split(texts, numbers, _weights(sample_weight)), nothing, "given to fit")
        options = {"seed": self._seed()} | {name: _plain(value) for name, value in self.options.items()}
        self.model_: WindowModel = train(dataset, model=self.model, show_progress=False, **options)
        self.n_features_in_ = 1  # a sample is one text
        return self

    def predict(self, X: Iterable[str]) -> Array:
        """Return the class of each text."""
        texts = self._fitted_texts(X)
        number = {name: index for index, name in enumerate(self.model_.labels)}
        return self.classes_[[number[label] for part in _parts(texts) for label in self.model_.predict(part)]]

    def decision_function(self, X: Iterable[str]) -> Array:
        """Return the scores, texts × classes; with two classes, by how much the second one leads."""
        scores = self._scores(X)
        return scores[:, 1] - scores[:, 0] if scores.shape[1] == 2 else scores

    def predict_proba(self, X: Iterable[str]) -> Array:
        """Return softmax(f/T) of the scores f, with the temperature T that training fitted to held-out rows."""
        texts = self._fitted_texts(X)
        return np.concatenate([self.model_.probabilities(part) for part in _parts(texts)])

    def certify(
        self,
        X: Iterable[str],
        method: str | None = None,
        *,
        max_distance: int | None = None,
        budget: float | None = None,
        threat: Threat | None = None,
        target: Any = None,
    ) -> Certificates:
        """Certify texts as :func:`levcert.certify` does; labels and the ``target`` are the classes as strings.

        In a pipeline, certificates apply to the texts that reach the classifier, not to those passed to the pipeline.
        """
        texts = self._fitted_texts(X)
        distance = _plain(self.max_distance if max_distance is None else max_distance)
        return certify(
            self.model_, texts, method or self.method, max_distance=distance, budget=budget, threat=threat,
            target=None if target is None else str(target),
        )  # fmt: skip

    def _scores(self, X: Iterable[str]) -> npt.NDArray[np.float64]:
        texts = self._fitted_texts(X)
        return np.concatenate([self.model_.scores(part) for part in _parts(texts)])

    def _fitted_texts(self, X: Iterable[str]) -> list[str]:
        check_is_fitted(self)
        return _texts(X)

    def _seed(self) -> int:
        if self.random_state is None:
            return _SEED
        if isinstance(self.random_state, int | np.integer):
            return int(self.random_state)
        return int(check_random_state(self.random_state).randint(_LARGEST_SEED))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = tags.input_tags.one_d_array = True
        tags.input_tags.two_d_array = False
        return tags

    def __getstate__(self) -> dict[str, Any]:
        """Pickle the model as the bytes of its file: no torch objects, nothing that a newer version cannot read."""
        state = dict(super().__getstate__())
        if "model_" in state:
            state["model_"] = _file_of(state["model_"])
        return state

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        super().__setstate__(dict(state))
        if isinstance(self.__dict__.get("model_"), bytes):
            self.model_ = _model_of(self.__dict__["model_"])


@dataclass(frozen=True)
class _VerifiedAccuracy:
    k: int

    def __call__(self, estimator: Any, X: Iterable[str], y: Iterable[Any]) -> float:
        if isinstance(estimator, Pipeline):
            X = estimator[:-1].transform(X) if len(estimator) > 1 else X
            estimator = estimator[-1]
        certificates: Certificates = estimator.certify(X, max_distance=self.k)
        return certificates.verified_accuracy([str(label) for label in np.asarray(y).tolist()], self.k).value


def verified_accuracy(k: int) -> _VerifiedAccuracy:
    """Return a scorer: the share of texts with the right label that k edits cannot change.

    For ``scoring=`` of ``cross_val_score``, ``GridSearchCV`` and their like.  Of a pipeline, it certifies the texts
    that reach the classifier.

    Examples:
        >>> from sklearn.model_selection import cross_val_score
        >>> data = levcert.load_dataset("toy")
        >>> texts, labels = data.train.texts[:60], [data.labels[y] for y in data.train.labels[:60]]
        >>> classifier = levcert.LevenshteinClassifier(orders=(2,), epochs=1)
        >>> len(cross_val_score(classifier, texts, labels, cv=2, scoring=levcert.verified_accuracy(1)))
        2
    """
    if isinstance(k, bool) or not isinstance(k, int) or k < 0:
        raise InputError(f"k must be an integer of at least 0, not {k!r}.")
    return _VerifiedAccuracy(k)


def _plain(value: Any) -> Any:
    """Return numpy's numbers, which grid searches like to pass, as Python's."""
    return value.item() if isinstance(value, np.generic) else value


def _parts(texts: list[str]) -> Iterator[list[str]]:
    """Give some texts at a time: bounds the memory of scores."""
    return (texts[start : start + _TEXTS_AT_ONCE] for start in range(0, len(texts), _TEXTS_AT_ONCE))


def _texts(X: Any) -> list[str]:
    """Return the samples as a list of str; the error names the first that is not a text."""
    if isinstance(X, str | bytes):
        raise InputError("Expected a list of texts, got a single text; write [text].")
    if getattr(X, "ndim", 1) != 1:
        raise InputError(f"Expected a list of texts, got an array of shape {X.shape}; choose one column.")
    try:
        texts = list(X)
    except TypeError:
        raise InputError(f"Expected a list of texts, not {type(X).__name__}.") from None
    if not texts:
        raise InputError("There are no texts; give at least one.")
    for number, text in enumerate(texts):
        if not isinstance(text, str):
            raise InputError(f"Sample {number} is {text!r}, which is not a text; drop it or fill it in.")
    return [str(text) for text in texts]  # numpy's own strings become Python's


def _classes(y: Any, texts: int) -> tuple[Array, npt.NDArray[np.int64]]:
    """Return the different classes in order, and the number of each sample's class."""
    labels = np.asarray(y if hasattr(y, "__len__") else list(y))
    if labels.ndim != 1 or len(labels) != texts:
        raise InputError(f"There are {texts} texts and labels of shape {labels.shape}; give one label per text.")
    missing = [number for number, label in enumerate(labels.tolist()) if label is None or label != label]
    if missing:
        raise InputError(f"The label of sample {missing[0]} is missing; drop the sample or fill it in.")
    try:
        check_classification_targets(labels)
        classes, numbers = np.unique(labels, return_inverse=True)
    except (TypeError, ValueError):
        raise InputError("Labels must be all strings or all integers; floats are not accepted.") from None
    if len(classes) < 2:
        raise InputError(f"All texts have the label {classes[0]!r}; a classifier needs at least two classes.")
    return classes, numbers.astype(np.int64)


def _weights(sample_weight: Any) -> npt.NDArray[np.float64] | None:
    """Return the weights of samples as floats; the split checks their number and signs."""
    if sample_weight is None:
        return None
    try:
        return np.asarray(sample_weight if hasattr(sample_weight, "__len__") else list(sample_weight), dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"sample_weight must be one number per text, not {sample_weight!r}.") from None


def _file_of(model: WindowModel) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.safetensors"
        model.save(path)
        return path.read_bytes()


def _model_of(content: bytes) -> WindowModel:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.safetensors"
        path.write_bytes(content)
        return load(path)
