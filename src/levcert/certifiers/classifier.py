"""Anyone's classifier: a function from a list of texts to labels or scores."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from levcert.alphabet import Alphabet, Text
from levcert.errors import InputError
from levcert.models.window import WindowModel


@dataclass
class Classifier:
    """Labels for texts, in batches; built by :func:`as_classifier`.

    A function may answer with labels (strings or integers), with rows of scores, or as a pipeline of transformers
    does: a dictionary with "label" for each text, or a list of such with "score", one for each class.
    """

    function: Callable[[list[Text]], Any]
    names: tuple[str, ...] | None  # None: not known (yet); scores then have numbers for names
    alphabet: Alphabet | None
    batch_size: int = 1024

    def labels(self, texts: Sequence[Text]) -> npt.NDArray[np.str_]:
        """Return the label of each text, as a string; scores become the name or number of the largest."""
        return self._labels(self._answers(texts))

    def keeps(self, texts: Sequence[Text], label: str) -> npt.NDArray[np.bool_]:
        """Say for each text whether it has this label; with scores, whether the label wins strictly."""
        answers = self._answers(texts)
        kept: npt.NDArray[np.bool_] = self._labels(answers) == label
        return kept if answers.ndim == 1 else kept & (_margins(answers) > 0)

    def answer(self, text: Text) -> tuple[str, float | None]:
        """Return the label of a text and, if the classifier gives scores, its margin."""
        answers = self._answers([text])
        return str(self._labels(answers)[0]), None if answers.ndim == 1 else float(_margins(answers)[0])

    def scores(self, texts: Sequence[Text]) -> npt.NDArray[np.float64]:
        """Return the scores of each text; refused if the function gives labels only."""
        answers = self._answers(texts)
        if answers.ndim != 2:
            raise InputError("This method needs a classifier that returns scores (texts × classes), not labels.")
        return answers.astype(np.float64)

    def _labels(self, answers: npt.NDArray[Any]) -> npt.NDArray[np.str_]:
        if answers.ndim == 1:
            return answers.astype(np.str_)
        best = answers.argmax(axis=1)
        named: npt.NDArray[np.str_] = np.array(self.names or range(answers.shape[1])).astype(np.str_)[best]
        return named

    def _answers(self, texts: Sequence[Text]) -> npt.NDArray[Any]:
        """Call the function in batches and check what it returns."""
        parts = []
        for start in range(0, len(texts), self.batch_size):
            batch = list(texts[start : start + self.batch_size])
            try:
                answers = np.asarray(self._undressed(self.function(batch)))
            except ValueError as error:
                raise InputError(f"The classifier's answer is no array of labels or scores: {error}") from None
            if answers.shape[:1] != (len(batch),) or answers.ndim > 2 or (answers.ndim == 2 and answers.shape[1] < 2):
                raise InputError(
                    f"The classifier gave an answer of shape {answers.shape} for {len(batch)} texts; "
                    "it must return one label or one row of scores per text."
                )
            if answers.ndim == 2 and (answers.dtype.kind not in "fiub" or not np.isfinite(answers).all()):
                raise InputError("The classifier gave scores that are no finite numbers.")
            parts.append(answers)
        return np.concatenate(parts) if parts else np.zeros((0, 2))

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


def _margins(scores: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    ordered = np.sort(scores.astype(np.float64), axis=1)
    return ordered[:, -1] - ordered[:, -2]


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
