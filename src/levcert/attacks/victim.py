"""What an attack can ask about a classifier: the scores of a text after each of many single edits."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from levcert.errors import InputError
from levcert.models.any_classifier import Classifier
from levcert.models.class_labels import target_number
from levcert.models.edit_effects import pad
from levcert.models.window import WindowModel
from levcert.text.alphabet import Alphabet, Text
from levcert.text.edits import Edit, Operation, apply_edits
from levcert.text.threat import PRINTABLE_ASCII, AllowedEdits, Threat

Array = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Candidates:
    """Many single edits of one text, as columns; symbols are numbers in the victim's list, −1 for deletions."""

    operation: Integers
    position: Integers
    symbol: Integers

    def __len__(self) -> int:
        return len(self.operation)

    def take(self, rows: Integers | npt.NDArray[np.bool_]) -> Candidates:
        return Candidates(self.operation[rows], self.position[rows], self.symbol[rows])

    @staticmethod
    def of(operation: Operation, position: Integers, symbol: Integers) -> Candidates:
        return Candidates(np.full(len(position), operation), position, symbol)

    @staticmethod
    def join(parts: Sequence[Candidates]) -> Candidates:
        columns = zip(*((part.operation, part.position, part.symbol) for part in parts), strict=True)
        return Candidates(*(np.concatenate(column) for column in columns))


class Victim(ABC):
    """A classifier under attack, within a threat; ``symbols`` are what the attacker knows of.

    With a ``target``, the number of a class, only that label will do; without one, any other label.
    """

    threat: Threat
    target: int | None

    @property
    @abstractmethod
    def symbols(self) -> list[Text]:
        """The attacker's symbols."""

    @property
    @abstractmethod
    def allowed(self) -> AllowedEdits:
        """What may be done with them, by their numbers."""

    @abstractmethod
    def numbers(self, text: Text) -> Integers:
        """Return the number of each symbol of a text; −1 for one that is not on the list."""

    @abstractmethod
    def scores(self, texts: Sequence[Text]) -> Array:
        """Return the scores of whole texts: what counts in the end."""

    @abstractmethod
    def edited_scores(self, text: Text, candidates: Candidates) -> Array:
        """Return the scores of the text after each edit alone."""

    def edit(self, text: Text, candidates: Candidates, row: int) -> Text:
        """Return the text after one of the edits."""
        symbol = int(candidates.symbol[row])
        brought = None if symbol < 0 else self.symbols[symbol]
        edit = Edit(Operation(candidates.operation[row]), int(candidates.position[row]), brought)
        return apply_edits(text, [edit])

    def candidates(self, text: Text, gaps: Integers, places: Integers) -> Candidates:
        """Return all allowed insertions before ``gaps`` and all allowed deletions and substitutions at ``places``."""
        insertable = np.flatnonzero(self.allowed.insert)
        t, c = (grid.ravel() for grid in np.meshgrid(gaps, insertable, indexing="ij"))
        parts = [Candidates.of(Operation.INSERT, t, c)]
        gone = places[self.deletable(text)[places]]
        parts.append(Candidates.of(Operation.DELETE, gone, np.full(len(gone), -1)))
        row, c = np.nonzero(self.replaceable(text)[places])
        return Candidates.join([*parts, Candidates.of(Operation.SUBSTITUTE, places[row], c)])

    def replaceable(self, text: Text) -> npt.NDArray[np.bool_]:
        """Return which symbols may take the place of each symbol of the text."""
        numbers = self.numbers(text)
        if not self.symbols:
            return np.zeros((len(numbers), 0), dtype=bool)
        foreign = np.broadcast_to(self.allowed.replace.any(axis=0), (len(numbers), len(self.symbols)))
        return np.where(numbers[:, None] < 0, foreign, self.allowed.replace[numbers])

    def deletable(self, text: Text) -> npt.NDArray[np.bool_]:
        """Return which characters of the text may be deleted."""
        return np.full(len(text), Operation.DELETE in self.threat.operations)

    def losses(self, scores: Array, label: int) -> Array:
        """max_{ŷ≠y} f_ŷ − f_y: at 0 and above, the label is lost.  With a target t: f_t − max_{ŷ≠t} f_ŷ."""
        own = label if self.target is None else self.target
        lead: Array = scores[:, own] - np.delete(scores, own, axis=1).max(axis=1)
        return -lead if self.target is None else lead

    def every_edit(self, text: Text) -> tuple[Candidates, Array]:
        """Return every allowed edit of a text and the scores after it."""
        candidates = self.candidates(text, np.arange(len(text) + 1), np.arange(len(text)))
        return candidates, self.edited_scores(text, candidates)


@dataclass(frozen=True)
class AnyVictim(Victim):
    """Anyone's function: every edited text is evaluated as a whole."""

    classifier: Classifier
    threat: Threat
    alphabet: Alphabet | Text
    target: int | None = None

    def __post_init__(self) -> None:
        if self.threat.neighbours is not None or self.threat.deletable is not None:
            raise InputError(
                "Attacks on a function can restrict operations and symbols, but not neighbours or deletions."
            )

    @cached_property
    def symbols(self) -> list[Text]:
        given = self.alphabet if self.threat.symbols is None else self.threat.symbols
        if isinstance(given, Alphabet):
            given = given.decode(range(1, given.size + 1))
        return list(dict.fromkeys(given[i : i + 1] for i in range(len(given))))

    @cached_property
    def allowed(self) -> AllowedEdits:
        size, operations = len(self.symbols), self.threat.operations
        return AllowedEdits(
            insert=np.full(size, Operation.INSERT in operations),
            replace=~np.eye(size, dtype=bool) & (Operation.SUBSTITUTE in operations),
            delete=np.full(size, Operation.DELETE in operations),
        )

    def numbers(self, text: Text) -> Integers:
        number = {symbol: index for index, symbol in enumerate(self.symbols)}
        return np.array([number.get(text[i : i + 1], -1) for i in range(len(text))], dtype=np.int64)

    def scores(self, texts: Sequence[Text]) -> Array:
        return self.classifier.scores(texts)

    def edited_scores(self, text: Text, candidates: Candidates) -> Array:
        edited = [self.edit(text, candidates, row) for row in range(len(candidates))]
        return self.scores(edited) if edited else np.zeros((0, 2))


def victim_of_function(
    classifier: Classifier,
    threat: Threat,
    alphabet: Alphabet | Text | None,
    text: Text,
    target: str | None = None,
) -> AnyVictim:
    """Prepare a function for an attack; without an alphabet the attacker types printable ASCII or any byte."""
    if alphabet is None:
        alphabet = PRINTABLE_ASCII if isinstance(text, str) else bytes(range(256))
    number = None if target is None else target_number(target, classifier.class_names(text))
    return AnyVictim(classifier, threat, alphabet, number)


@dataclass(frozen=True)
class WindowVictim(Victim):
    """One of our models: only the windows that an edit touches are evaluated.

    Texts must be spelled as the model sees them, so that positions in the text are positions of ids.
    """

    model: WindowModel
    threat: Threat
    dropped: bool  # whether the text that was typed holds characters that the model drops
    target: int | None = None

    @cached_property
    def symbols(self) -> list[Text]:
        return [self.model.alphabet.decode([id_]) for id_ in range(1, self.model.alphabet.size + 1)]

    @cached_property
    def allowed(self) -> AllowedEdits:
        return self.threat.allowed(self.model.alphabet, dropped=self.dropped)

    def deletable(self, text: Text) -> npt.NDArray[np.bool_]:
        deletable: npt.NDArray[np.bool_] = self.allowed.delete[self.numbers(text)]
        return deletable

    def numbers(self, text: Text) -> Integers:
        return self.model.alphabet.encode(text).astype(np.int64) - 1

    def scores(self, texts: Sequence[Text]) -> Array:
        return self.model.encoded_scores(self.model.alphabet.encode_many(texts))

    def edited_scores(self, text: Text, candidates: Candidates) -> Array:
        """Add what the windows around each edit score afterwards, subtract what they scored before."""
        side = self.model.width - 1
        padded = pad(self.model.alphabet.encode(text), side)
        parts = np.lib.stride_tricks.sliding_window_view(padded, side)
        scores = np.repeat(self.scores([text]), len(candidates), axis=0)
        for operation in Operation:
            chosen = np.flatnonzero(candidates.operation == operation)
            place = candidates.position[chosen] + side
            brought = (candidates.symbol[chosen, None] + 1).astype(np.int32)
            left, right = parts[place - side], parts[place + (operation != Operation.INSERT)]
            gone = np.append(padded, np.int32(0))[place, None]
            before = [left, right] if operation == Operation.INSERT else [left, gone, right]
            after = [left, right] if operation == Operation.DELETE else [left, brought, right]
            scores[chosen] += self._windows(after) - self._windows(before)
        return scores

    def every_edit(self, text: Text) -> tuple[Candidates, Array]:
        ids = self.model.alphabet.encode(text)
        effects = self.model.edit_effects(ids)
        base = self.scores([text])[0]
        inserted = np.nonzero(np.broadcast_to(self.allowed.insert, effects.insertions.shape[:2]))
        replaced = np.nonzero(self.allowed.replace[ids - 1])
        parts = [Candidates.of(Operation.INSERT, *inserted), Candidates.of(Operation.SUBSTITUTE, *replaced)]
        changes = [effects.insertions[inserted], effects.substitutions[replaced]]
        gone = np.flatnonzero(self.deletable(text))
        parts.append(Candidates.of(Operation.DELETE, gone, np.full(len(gone), -1)))
        changes.append(effects.deletions[gone])
        return Candidates.join(parts), base + np.concatenate(changes)

    def _windows(self, columns: list[npt.NDArray[np.int32]]) -> Array:
        return self.model.context_scores(np.concatenate(columns, axis=1))
