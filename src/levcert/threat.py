"""What an attacker may do: which operations, with which symbols."""

from __future__ import annotations

import string
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np
import numpy.typing as npt

from levcert.alphabet import Alphabet, Text
from levcert.edits import OPERATIONS, Edit, Operation, allowed_script, edit_script
from levcert.errors import InputError

PRINTABLE_ASCII: Final = "".join(chr(point) for point in range(32, 127))
_KEY_ROWS: Final = ("1234567890-=", "qwertyuiop[]", "asdfghjkl;'", "zxcvbnm,./")


@dataclass(frozen=True)
class AllowedEdits:
    """The threat in ids: ``insert[c − 1]`` and ``replace[a − 1, c − 1]`` say what is allowed."""

    insert: npt.NDArray[np.bool_]
    replace: npt.NDArray[np.bool_]
    delete: bool


@dataclass(frozen=True)
class Threat:
    """Any insertion, deletion and substitution of any characters, unless restricted.

    ``symbols`` limits what insertions and substitutions may bring in; ``neighbours`` limits what a character may be
    substituted by (those without an entry may not be substituted).  A smaller threat has a larger radius.

    An edit is judged by what it does to the ids of the model's alphabet.  Where the alphabet drops unknown
    characters, substituting a character by an unknown one is a deletion; so a threat without deletions speaks
    about substitutions by characters of the alphabet.  Likewise, substituting an unknown character of the text by a
    known one is an insertion.  Each character of the text is substituted at most once.
    """

    operations: frozenset[Operation] = OPERATIONS
    symbols: Text | None = None
    neighbours: Mapping[str, str] | None = None

    def __post_init__(self) -> None:
        try:
            object.__setattr__(self, "operations", frozenset(self.operations))
        except TypeError:
            object.__setattr__(self, "operations", frozenset())
        if not self.operations or not self.operations <= OPERATIONS:
            given = ", ".join(map(repr, self.operations)) or "none"
            raise InputError(f"Operations are some of {', '.join(sorted(OPERATIONS))}; given: {given}.")
        if self.neighbours is not None and not isinstance(self.neighbours, Mapping):
            raise InputError("neighbours is a dictionary from a character to those that may replace it.")
        if self.symbols is not None and not isinstance(self.symbols, str | bytes):
            raise InputError("The symbols of a threat are given as one str or bytes.")

    @property
    def unrestricted(self) -> bool:
        """Whether everything is allowed."""
        return self.operations == OPERATIONS and self.symbols is None and self.neighbours is None

    def allowed(self, alphabet: Alphabet) -> AllowedEdits:
        """Translate the threat into ids."""
        size = alphabet.size
        brought = np.ones(size, dtype=bool)
        if self.symbols is not None:
            brought[:] = False
            brought[alphabet.encode(self.symbols) - 1] = True
        replace = np.broadcast_to(brought, (size, size)).copy()
        if self.neighbours is not None:
            near = np.zeros((size, size), dtype=bool)
            for character, others in self.neighbours.items():
                for a in alphabet.encode(character):
                    near[a - 1, alphabet.encode(others) - 1] = True
            replace &= near
        np.fill_diagonal(replace, False)
        return AllowedEdits(
            insert=brought & ("insert" in self.operations),
            replace=replace & ("substitute" in self.operations),
            delete="delete" in self.operations,
        )

    def script(self, source: Text, target: Text, alphabet: Alphabet | None = None) -> list[Edit] | None:
        """Return allowed edits that lead from one text to another, or None; shortest without restrictions.

        For a model, texts are spelled as it sees them and ``alphabet`` is its own.
        """
        if self.unrestricted:
            return edit_script(source, target)
        if alphabet is not None:
            allowed = self.allowed(alphabet)
            number = {alphabet.decode([id_]): id_ - 1 for id_ in range(1, alphabet.size + 1)}
            return allowed_script(
                source,
                target,
                insert=lambda symbol: bool(allowed.insert[number[symbol]]),
                delete=allowed.delete,
                replace=lambda old, new: bool(allowed.replace[number[old], number[new]]),
            )
        return allowed_script(
            source,
            target,
            insert=lambda symbol: "insert" in self.operations and self._may_bring(symbol),
            delete="delete" in self.operations,
            replace=lambda _, new: "substitute" in self.operations and self._may_bring(new),
        )

    def _may_bring(self, symbol: Text) -> bool:
        return self.symbols is None or symbol in self.symbols  # type: ignore[operator]

    def __str__(self) -> str:
        what = " or ".join(sorted(self.operations)) if self.operations != OPERATIONS else "any edit"
        limits = ["by symbols of " + repr(self.symbols)] if self.symbols is not None else []
        limits += ["by neighbours only"] if self.neighbours is not None else []
        return ", ".join([what, *limits])


ANY_EDIT: Final = Threat()


def as_threat(threat: Threat | None, operations: Collection[Operation]) -> Threat:
    """Return the threat given, or the one with these operations."""
    if threat is not None and not isinstance(threat, Threat):
        raise InputError(f"A threat is a Threat(...), not {threat!r}.")
    return threat or Threat(operations)  # type: ignore[arg-type]


@lru_cache
def keyboard_neighbours() -> Mapping[str, str]:
    """Return for each key of a US keyboard the keys around it, as in Huang et al. (2019)."""
    places = {key: (row, column + row / 2) for row, keys in enumerate(_KEY_ROWS) for column, key in enumerate(keys)}
    return {
        key: "".join(
            other
            for other, (y, x) in places.items()
            if other != key and abs(y - places[key][0]) <= 1 and abs(x - places[key][1]) <= 1
        )
        for key in places
        if key in string.printable
    }
