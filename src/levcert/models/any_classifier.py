"""Anyone's classifier: a function from a list of texts to labels or scores."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from levcert.errors import InputError
from levcert.models.window import WindowModel
from levcert.text.alphabet import Alphabet, Text

_SCALARS = (str, bytes, int, float, np.generic, type(None))


@dataclass(frozen=True)
class Label:
    """An answer of a classifier.  The number 1 and the string "1" are different answers, though their names are not."""

    name: str = field(compare=False)
    kind: str
    value: str | bytes | float | None

    @classmethod
    def of(cls, answer: Any) -> Label:
        value = answer.item() if isinstance(answer, np.generic) else answer
        if not isinstance(value, str | bytes | int | float | None) or value != value:  # the last is true of NaN
            raise InputError(f"A label is a string or a number; the classifier gave {answer!r}.")
        return cls(str(value), type(value).__name__, value)


@dataclass
class Classifier:
    """Labels for texts, in batches; built by :func:`as_classifier`.

    A function may answer with labels (strings or numbers), with rows of scores, or as a pipeline of transformers
    does: a dictionary with "label" for each text, or a list of such with "score", one for each class.  Of equal
    scores the first class wins, as for our own models.

    Whatever is said about a function assumes that its answer depends on the text alone: not on chance, on earlier
    calls or on the other texts of a batch.  Where answers show that this is not so, they are refused.
    """

    function: Callable[[list[Text]], Any]
    names: tuple[str, ...] | None  # None: not known (yet); scores then have numbers for names
    alphabet: Alphabet | None
    batch_size: int = 1024
    _seen: dict[str, Label] = field(default_factory=dict)

    def labels(self, texts: Sequence[Text]) -> list[Label]:
        """Return the label of each text; scores become the name or number of the largest."""
        return self._labels(self._answers(texts))

    def answer(self, text: Text) -> tuple[Label, float | None]:
        """Return the label of a text and, if the classifier gives scores, its margin."""
        answers = self._answers([text])
        margin = None
        if isinstance(answers, np.ndarray):
            ordered = np.sort(answers[0].astype(np.float64))
            margin = float(ordered[-1] - ordered[-2])
        return self._labels(answers)[0], margin

    def first_other(self, texts: Sequence[Text], known: Text, label: Label) -> Text | None:
        """Return the first of some texts that has another label than a known text, or None.

        The known text is asked about again beside them, and a text that is found is asked about alone: a function
        that answers otherwise the second time is refused.
        """
        found = self.labels([*texts, known])
        self._check_same(known, label, found.pop())
        for text, other in zip(texts, found, strict=True):
            if other != label:
                self._check_same(text, other, self.labels([text])[0])
                return text
        return None

    def _check_same(self, text: Text, first: Label, second: Label) -> None:
        if first != second:
            raise InputError(
                f"The classifier labelled the same text {first.value!r} and then {second.value!r} ({text[:40]!r}); "
                "nothing can be proved of a function whose answer depends on chance or on the other texts of a batch."
            )

    def scores(self, texts: Sequence[Text]) -> npt.NDArray[np.float64]:
        """Return the scores of each text; refused if the function gives labels only."""
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
        for start in range(0, len(texts), self.batch_size):
            batch = list(texts[start : start + self.batch_size])
            given = self._undressed(self.function(batch))
            if isinstance(given, np.ndarray) and given.ndim == 1:
                given = given.tolist()
            if isinstance(given, list | tuple) and all(isinstance(answer, _SCALARS) for answer in given):
                self._check_count((len(given),), batch)
                labels += [self._known(Label.of(answer)) for answer in given]
            else:
                scores.append(self._checked_scores(given, batch))
        if scores and labels:
            raise InputError("The classifier gave labels for some texts and scores for others; give one of them.")
        return np.concatenate(scores) if scores else labels

    def _checked_scores(self, given: Any, batch: list[Text]) -> npt.NDArray[Any]:
        try:
            scores = np.asarray(given)
        except ValueError as error:
            raise InputError(f"The classifier's answer is not an array of labels or scores: {error}") from None
        self._check_count(scores.shape, batch)
        if scores.ndim != 2 or scores.shape[1] < 2:
            self._refuse_shape(scores.shape, batch)
        if scores.dtype.kind not in "fiub" or not np.isfinite(scores).all():
            raise InputError("The classifier gave scores that are not finite numbers.")
        if self.names is not None and scores.shape[1] != len(self.names):
            raise InputError(f"The classifier gave {scores.shape[1]} scores for {len(self.names)} classes.")
        return scores

    def _check_count(self, shape: tuple[int, ...], batch: list[Text]) -> None:
        if shape[:1] != (len(batch),):
            self._refuse_shape(shape, batch)

    def _refuse_shape(self, shape: tuple[int, ...], batch: list[Text]) -> None:
        raise InputError(
            f"The classifier gave an answer of shape {shape} for {len(batch)} texts; "
            "it must return one label or one row of scores per text."
        )

    def _known(self, label: Label) -> Label:
        """Refuse a label that a certificate could not tell from another one."""
        known = self._seen.setdefault(label.name, label)
        if known != label:
            raise InputError(
                f"The classifier gives the labels {known.value!r} and {label.value!r}, which have the same name; "
                "rename one of them."
            )
        return known

    def _undressed(self, answers: Any) -> Any:
        """Turn dictionaries with labels into labels, and lists of such into scores of classes in fixed order."""
        if not isinstance(answers, list | tuple) or not answers:
            return answers
        try:
            if isinstance(answers[0], dict):
                return [answer["label"] for answer in answers]
            if isinstance(answers[0], list) and isinstance(answers[0][0], dict):
                rows = [{str(entry["label"]): entry["score"] for entry in answer} for answer in answers]
                names = tuple(sorted(rows[0])) if self.names is None else self.names
                if any(row.keys() != set(names) for row in rows):
                    raise InputError("The classifier gave scores of other classes for some texts; ask it for all.")
                self.names = names
                return [[row[name] for name in names] for row in rows]
        except (IndexError, KeyError, TypeError):
            raise InputError('The classifier gave dictionaries without "label", or lists without "score".') from None
        return answers


def as_classifier(model: WindowModel | Callable[[list[Text]], Any], batch_size: int = 1024) -> Classifier:
    """Make a classifier of one of our models or of any function."""
    if isinstance(model, WindowModel):
        alphabet = model.alphabet
        return Classifier(
            lambda texts: model.encoded_scores(alphabet.encode_many(texts)), model.labels, alphabet, batch_size
        )
    if not callable(model):
        raise InputError(
            f"A classifier is one of our models or a function of a list of texts, not {type(model).__name__}."
        )
    return Classifier(model, None, None, batch_size)
