"""What an attacker may do: which operations, with which symbols."""

from __future__ import annotations

import string
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np
import numpy.typing as npt

from levcert.alphabet import Alphabet, Text
from levcert.edits import OPERATIONS, Operation
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
    about substitutions by characters of the alphabet.  Each character of the text is substituted at most once.
    """

    operations: frozenset[Operation] = OPERATIONS
    symbols: Text | None = None
    neighbours: Mapping[str, str] | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "operations", frozenset(self.operations))
        if not self.operations or not self.operations <= OPERATIONS:
            raise InputError(f"Operations are some of {', '.join(sorted(OPERATIONS))}, not {sorted(self.operations)}.")

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

    def __str__(self) -> str:
        what = " or ".join(sorted(self.operations)) if self.operations != OPERATIONS else "any edit"
        limits = ["by symbols of " + repr(self.symbols)] if self.symbols is not None else []
        limits += ["by neighbours only"] if self.neighbours is not None else []
        return ", ".join([what, *limits])


ANY_EDIT: Final = Threat()


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
