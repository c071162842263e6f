"""Any classifier: a function from a list of texts to labels or scores."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from levcert.errors import InputError
from levcert.text.alphabet import Alphabet, Text

_MOST_CACHED = 200_000  # answers that are remembered; then all are forgotten
_SCALARS = (str, bytes, int, float, np.generic, type(None))


class OutOfCallsError(InputError):
    """A classifier has answered as often as it may."""


@dataclass(frozen=True)
class Label:
    """A classifier's answer.  The number 1 and the string "1" are different answers that have the same name."""

    name: str = field(compare=False)
    kind: str
    value: str | bytes | float | None

    @classmethod
    def of(cls, answer: Any) -> Label:
        value = answer.item() if isinstance(answer, np.generic) else answer
        if not isinstance(value, str | bytes | int | float | None) or value != value:  # the last is true for NaN
            raise InputError(f"A label must be a string or a number; the classifier returned {answer!r}.")
        return cls(str(value), type(value).__name__, value)


@dataclass(repr=False)
class Classifier:
    """Labels for texts, in batches; built by :func:`as_classifier`.

    A function may return labels (strings or numbers), rows of scores, or what a transformers pipeline returns:
    for each text a dictionary with "label", or a list of dictionaries with "label" and "score", one for each class.
    Of equal scores, the first class wins, as for our own models.  ``scorer`` returns scores where the function returns
    labels: they guide attacks, but labels are those of the function.

    Repeated texts are classified once, and so are texts with the same ``key``: what the classifier makes of a text
    before anything else, such as its tokens.  ``calls`` counts the texts that it classified, ``max_calls`` limits them.

    Every claim about a function assumes that its answer depends only on the text: not on chance, on earlier calls or
    on the other texts in a batch.  If its answers contradict this, they are rejected.
    """

    function: Callable[[list[Text]], Any]
    names: tuple[str, ...] | None  # None: not known (yet); scores then have numbers for names
    alphabet: Alphabet | None
    batch_size: int = 1024
    source: object | None = None  # the model or function itself
    scorer: Callable[[list[Text]], Any] | None = None
    key: Callable[[Text], Hashable] | None = None
    max_calls: int | None = None
    calls: int = 0
    _seen: dict[str, Label] = field(default_factory=dict)
    _known: dict[Hashable, Label] = field(default_factory=dict)

    def labels(self, texts: Sequence[Text], again: Sequence[Text] = ()) -> list[Label]:
        """Return the label of each text; for scores, the name or number of the class with the largest.

        Texts in ``again`` are classified even if their label is known, in the same call; their labels come last.
        """
        keys = [self._key(text) for text in texts]
        new = {key: text for key, text in zip(keys, texts, strict=True) if key not in self._known}
        answers = self._labels(self._answers([*new.values(), *again]))
        if len(self._known) + len(new) > _MOST_CACHED:
            known = {key: self._known[key] for key in keys if key in self._known}
            self._known.clear()
            self._known.update(known)
        self._known.update(zip(new, answers, strict=False))
        return [*(self._known[key] for key in keys), *answers[len(new) :]]

    def _key(self, text: Text) -> Hashable:
        return (type(text), text) if self.key is None else self.key(text)

    def predict(self, texts: Sequence[Text]) -> npt.NDArray[np.str_]:
        """Return the name of each text's label."""
        return np.array([label.name for label in self.labels(texts)], dtype=np.str_)

    def gives_scores(self, text: Text) -> bool:
        """Say whether there are scores, which attacks need, by classifying a text."""
        return self.scorer is not None or isinstance(self._answers([text]), np.ndarray)

    def __repr__(self) -> str:
        name = getattr(self.source, "__qualname__", None)
        return repr(self.source) if name is None else f"the function {name}"

    def answer(self, text: Text) -> tuple[Label, float | None]:
        """Return the label of a text and, if the classifier gives scores, its margin."""
        answers = self._answers([text])
        margin = None
        if isinstance(answers, np.ndarray):
            ordered = np.sort(answers[0].astype(np.float64))
            margin = float(ordered[-1] - ordered[-2])
        return self._labels(answers)[0], margin

    def class_names(self, text: Text) -> tuple[str, ...]:
        """Return the names of the classes of a function that gives scores, by asking it about a text."""
        classes = self.scores([text]).shape[1]
        return self.names or tuple(map(str, range(classes)))

    def first_other(self, texts: Sequence[Text], known: Text, label: Label, target: str | None = None) -> Text | None:
        """Return the first of some texts that has another label than a known text (or the label ``target``), or None.

        The known text is classified again together with them, and a text that is found is classified again on its own:
        a function that changes its answer is rejected.
        """
        found = self.labels(texts, again=[known])
        self._check_same(known, label, found.pop())
        for text, other in zip(texts, found, strict=True):
            if other != label and target in (None, other.name):
                self._check_same(text, other, self.labels([], again=[text])[0])
                return text
        return None

    def _check_same(self, text: Text, first: Label, second: Label) -> None:
        if first != second:
            raise InputError(
                f"The classifier labelled the same text {first.value!r} and then {second.value!r} ({text[:40]!r}); "
                "nothing can be proved about a function whose answer depends on chance or on the rest of the batch."
            )

    def scores(self, texts: Sequence[Text]) -> npt.NDArray[np.float64]:
        """Return the scores of each text; an error if the function returns only labels."""
        if self.scorer is not None:
            given = [self._called(self.scorer, batch) for batch in self._batches(texts)]
            return np.concatenate(given).astype(np.float64)
        answers = self._answers(texts)
        if not isinstance(answers, np.ndarray):
            raise InputError("This method needs a classifier that returns scores (texts × classes), not labels.")
        return answers.astype(np.float64)

    def _labels(self, answers: npt.NDArray[Any] | list[Label]) -> list[Label]:
        if not isinstance(answers, np.ndarray):
            return answers
        names = self.names or tuple(map(str, range(answers.shape[1])))
        labels = [Label(name, "class", number) for number, name in enumerate(names)]
        return [labels[best] for best in answers.argmax(axis=1)]

    def _answers(self, texts: Sequence[Text]) -> npt.NDArray[Any] | list[Label]:
        """Call the function in batches and check what it returns: rows of scores, or a label for each text."""
        scores, labels = [], []
        for batch in self._batches(texts):
            given = self._undressed(self._called(self.function, batch))
            if isinstance(given, np.ndarray) and given.ndim == 1:
                given = given.tolist()
            if isinstance(given, list | tuple) and all(isinstance(answer, _SCALARS) for answer in given):
                self._check_count((len(given),), batch)
                labels += [self._checked_label(Label.of(answer)) for answer in given]
            else:
                scores.append(self._checked_scores(given, batch))
        if scores and labels:
            raise InputError(
                "The classifier returned labels for some texts and scores for others; return one or the other."
            )
        return np.concatenate(scores) if scores else labels

    def _batches(self, texts: Sequence[Text]) -> list[list[Text]]:
        return [list(texts[start : start + self.batch_size]) for start in range(0, len(texts), self.batch_size)]

    def _called(self, function: Callable[[list[Text]], Any], batch: list[Text]) -> Any:
        """Call a function, and count the texts."""
        if self.max_calls is not None and self.calls + len(batch) > self.max_calls:
            raise OutOfCallsError(
                f"The classifier was asked about {self.calls:,} texts and may be asked about {self.max_calls:,}; "
                "allow more calls, or give fewer texts."
            )
        self.calls += len(batch)
        return function(batch)

    def _checked_scores(self, given: Any, batch: list[Text]) -> npt.NDArray[Any]:
        try:
            scores = np.asarray(given)
        except ValueError as error:
            raise InputError(f"The classifier's answer is not an array of labels or scores: {error}") from None
        self._check_count(scores.shape, batch)
        if scores.ndim != 2 or scores.shape[1] < 2:
            self._refuse_shape(scores.shape, batch)
        if scores.dtype.kind not in "fiub" or not np.isfinite(scores).all():
            raise InputError("The classifier returned scores that are not finite numbers.")
        if self.names is not None and scores.shape[1] != len(self.names):
            raise InputError(f"The classifier returned {scores.shape[1]} scores for {len(self.names)} classes.")
        return scores

    def _check_count(self, shape: tuple[int, ...], batch: list[Text]) -> None:
        if shape[:1] != (len(batch),):
            self._refuse_shape(shape, batch)

    def _refuse_shape(self, shape: tuple[int, ...], batch: list[Text]) -> None:
        raise InputError(
            f"The classifier returned an array of shape {shape} for {len(batch)} texts; "
            "it must return one label or one row of scores per text."
        )

    def _checked_label(self, label: Label) -> Label:
        """Reject a label that certificates could not distinguish from another one."""
        known = self._seen.setdefault(label.name, label)
        if known != label:
            raise InputError(
                f"The classifier returned the labels {known.value!r} and {label.value!r}, which have the same name; "
                "rename one of them."
            )
        return known

    def _undressed(self, answers: Any) -> Any:
        """Turn dictionaries with labels into labels, and lists of these into scores of the classes in a fixed order."""
        if not isinstance(answers, list | tuple) or not answers:
            return answers
        try:
            if isinstance(answers[0], dict):
                return [answer["label"] for answer in answers]
            if isinstance(answers[0], list) and isinstance(answers[0][0], dict):
                rows = [{str(entry["label"]): entry["score"] for entry in answer} for answer in answers]
                names = tuple(sorted(rows[0])) if self.names is None else self.names
                if any(row.keys() != set(names) for row in rows):
                    raise InputError(
                        "The classifier returned different classes for different texts; return the scores of all."
                    )
                self.names = names
                return [[row[name] for name in names] for row in rows]
        except (IndexError, KeyError, TypeError):
            raise InputError(
                'The classifier returned dictionaries without "label", or lists without "score".'
            ) from None
        return answers
