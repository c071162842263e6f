"""What an attacker may do to a text as it is typed, and what that does to the ids that a model sees."""

from __future__ import annotations

import string
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from levcert.errors import InputError
from levcert.text.alphabet import Alphabet, Ids, Text, as_bytes
from levcert.text.edits import OPERATIONS, Edit, Operation, OperationName, allowed_script, edit_script, operation_of
from levcert.text.folding import Fold

PRINTABLE_ASCII: Final = "".join(chr(point) for point in range(32, 127))
Mask = npt.NDArray[np.bool_]

_KEY_ROWS: Final = ("1234567890-=", "qwertyuiop[]", "asdfghjkl;'", "zxcvbnm,./")


@dataclass(frozen=True)
class AllowedEdits:
    """A threat in ids: whether the id c may be inserted, the id a replaced by c, the id a deleted.

    ``insert[c − 1]``, ``replace[a − 1, c − 1]`` and ``delete[a − 1]``.
    """

    insert: Mask
    replace: Mask
    delete: Mask


@dataclass(frozen=True)
class Threat:
    """What an attacker may do to a text as it is typed: any insertions, deletions and substitutions, unless restricted.

    ``symbols`` limits what insertions and substitutions may bring in.  ``neighbours`` limits what a character may be
    substituted by; characters without an entry may not be substituted.  (An entry for what a
    model folds a character to also holds for that character, such as one for a small letter for its capital.)
    ``deletable`` limits what deletions may remove, by the same rule.  A smaller threat has a larger radius.
    ``profile`` is the name of a preset (see ``profiles``), which outputs say instead of these lists.

    k edits are made at once: each character of the text is kept, deleted or substituted, once, and characters are
    inserted between them.

    Examples:
        >>> dots = levcert.Threat(operations={"insert"}, symbols=".")
        >>> model = levcert.load("toy.safetensors")
        >>> print(levcert.certify(model, ["hello world"], threat=dots, max_distance=3)[0])
        'letters': Proved: 3 insertions or fewer that bring in only characters of '.' cannot change the label.
    """

    operations: frozenset[Operation] = OPERATIONS  # or a collection of their names
    symbols: Text | None = None
    neighbours: Mapping[str, str] | None = None
    deletable: Text | None = None
    profile: str | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        if isinstance(self.operations, str) or not isinstance(self.operations, Iterable) or not self.operations:
            raise InputError(
                f"A threat must allow at least one of insert, delete and substitute, not {self.operations!r}."
            )
        object.__setattr__(self, "operations", frozenset(map(operation_of, self.operations)))
        for name, given in {"symbols": self.symbols, "deletable characters": self.deletable}.items():
            if given is not None and not isinstance(given, str | bytes):
                raise InputError(f"Give the {name} of a threat as one str or bytes.")
        if not isinstance(self.profile, str | None):
            raise InputError(f"The profile of a threat is its name, not {self.profile!r}.")
        if self.neighbours is None:
            return
        if not isinstance(self.neighbours, Mapping):
            raise InputError(
                "neighbours must be a dictionary from a character to a string of those that may replace it."
            )
        for character, others in self.neighbours.items():
            if not (isinstance(character, str) and len(character) == 1 and isinstance(others, str)):
                raise InputError(
                    f"neighbours maps one character to a string of those that may replace it, not {character!r} to "
                    f"{others!r}."
                )

    def __hash__(self) -> int:
        return hash((self.operations, self.symbols))  # neighbours may be a dictionary

    @property
    def unrestricted(self) -> bool:
        """Whether everything is allowed."""
        return self.operations == OPERATIONS and (
            self.symbols is None and self.neighbours is None and self.deletable is None
        )

    def allowed(self, alphabet: Alphabet, *, dropped: bool = False) -> AllowedEdits:
        """Translate the threat into ids: every allowed edit of a text does nothing to its ids, or one of these edits.

        Where an alphabet drops unknown characters, substituting a character by one of those deletes an id.
        ``dropped`` says whether the text itself holds dropped characters: substituting one of them inserts an id.
        Those insertions are allowed everywhere, which is more than the attacker can do: what is proved stays true.
        """
        brought, vanishing = self._brought(alphabet)
        size, substitute = alphabet.size, Operation.SUBSTITUTE in self.operations
        insert = brought & (Operation.INSERT in self.operations)
        delete = np.full(size, Operation.DELETE in self.operations and self.deletable is None)
        if Operation.DELETE in self.operations and self.deletable is not None:
            delete[alphabet.encode(self.deletable) - 1] = True
        if not substitute:
            return AllowedEdits(insert, np.zeros((size, size), dtype=bool), delete)
        if self.neighbours is None:
            replace = np.broadcast_to(brought, (size, size)).copy()
            delete |= vanishing
            insert |= brought & dropped
        else:
            replace = np.zeros((size, size), dtype=bool)
            for character, others in self.neighbours.items():
                old, new = _ids(alphabet, character), [_ids(alphabet, c) for c in others if self._may_bring(c)]
                for ids in new:
                    replace[np.ix_(old - 1, ids - 1)] = True
                    delete[old - 1] |= not len(ids)
                    insert[ids - 1] |= dropped and not len(old)
        np.fill_diagonal(replace, False)
        return AllowedEdits(insert, replace, delete)

    def _brought(self, alphabet: Alphabet) -> tuple[Mask, bool]:
        """Return which ids an edit may bring in, and whether it may bring in a character that leaves no id."""
        if self.symbols is None:
            return np.ones(alphabet.size, dtype=bool), alphabet.drops
        brought, ids = np.zeros(alphabet.size, dtype=bool), alphabet.encode(self.symbols)
        brought[ids - 1] = True
        return brought, alphabet.drops and len(ids) < len(self.symbols)

    def script(self, source: Text, target: Text, most: int) -> list[Edit] | None:
        """Return the fewest allowed edits that lead from one text to another; None if there are more than ``most``."""
        if self.unrestricted:
            script = edit_script(source, target)
            return script if len(script) <= most else None
        return allowed_script(
            source,
            target,
            most,
            insert=self.may_insert,
            delete=self.may_delete,
            replace=self.may_substitute,
        )

    def may_insert(self, symbol: Text) -> bool:
        return Operation.INSERT in self.operations and self._may_bring(symbol)

    def may_delete(self, symbol: Text, *, fold: Fold | None = None) -> bool:
        """Say whether one character may be deleted."""
        if Operation.DELETE not in self.operations or self.deletable is None:
            return Operation.DELETE in self.operations
        folded = fold(symbol) if fold is not None and isinstance(symbol, str) else ""
        return _holds(self.deletable, symbol) or (folded != "" and _holds(self.deletable, folded))

    def may_substitute(self, old: Text, new: Text, *, fold: Fold | None = None) -> bool:
        """Say whether one character may be replaced by another."""
        if Operation.SUBSTITUTE not in self.operations or not self._may_bring(new):
            return False
        if self.neighbours is None:
            return True
        old, new = (c.decode("latin-1") if isinstance(c, bytes) else c for c in (old, new))
        return new in self.neighbours.get(old, "") or (fold is not None and new in self.neighbours.get(fold(old), ""))

    def _may_bring(self, symbol: Text) -> bool:
        return self.symbols is None or _holds(self.symbols, symbol)

    def to_dict(self) -> dict[str, Any]:
        """Return the threat as JSON can hold it; bytes in hexadecimal."""
        fields = {"operations": sorted(map(str, self.operations))} | _written("symbols", self.symbols)
        fields |= {"neighbours": None if self.neighbours is None else dict(self.neighbours)}
        if self.deletable is not None:
            fields |= _written("deletable", self.deletable)
        return fields if self.profile is None else fields | {"profile": self.profile}

    @classmethod
    def from_dict(cls, fields: Mapping[str, Any]) -> Threat:
        """Read what :meth:`to_dict` wrote."""
        known = {"operations", "symbols", "symbols_hex", "neighbours", "deletable", "deletable_hex", "profile"}
        if not isinstance(fields, Mapping) or not fields.keys() <= known or "operations" not in fields:
            raise InputError(f"This is not a stored threat: {fields!r}.")
        symbols, deletable = (
            bytes.fromhex(fields[f"{name}_hex"]) if f"{name}_hex" in fields else fields.get(name)
            for name in ("symbols", "deletable")
        )
        return cls(fields["operations"], symbols, fields.get("neighbours"), deletable, fields.get("profile"))

    def __str__(self) -> str:
        what = " or ".join(sorted(map(str, self.operations))) if self.operations != OPERATIONS else "any edit"
        if self.profile is not None:
            return f"{what} of the profile {self.profile}"
        limits = ["bringing in only " + repr(self.symbols)] if self.symbols is not None else []
        limits += ["substituting only listed neighbours"] if self.neighbours is not None else []
        limits += ["deleting only " + repr(self.deletable)] if self.deletable is not None else []
        return ", ".join([what, *limits])


def _holds(characters: Text, character: Text) -> bool:
    if isinstance(character, str) and isinstance(characters, str):
        return character in characters
    return as_bytes(character) in as_bytes(characters)


def _written(name: str, given: Text | None) -> dict[str, Any]:
    return {f"{name}_hex": given.hex()} if isinstance(given, bytes) else {name: given}


def _ids(alphabet: Alphabet, character: str) -> Ids:
    """Return the id of one character, or none where it is dropped; a byte model has bytes for characters."""
    ids = alphabet.encode(character)
    if len(ids) > 1:
        raise InputError(f"{character!r} is several bytes; the neighbours of a byte model are single bytes (ASCII).")
    return ids


ANY_EDIT: Final = Threat()


def known_substitutions(alphabet: Alphabet) -> Threat:
    """Return the threat that only replaces characters which a model knows by others that it knows."""
    if not alphabet.drops:
        return Threat(frozenset({Operation.SUBSTITUTE}))
    return Threat(frozenset({Operation.SUBSTITUTE}), neighbours=dict.fromkeys(alphabet.symbols, alphabet.symbols))


def as_threat(threat: Threat | None, operations: Collection[Operation | OperationName]) -> Threat:
    """Return the threat given, or the one with these operations."""
    if threat is not None and not isinstance(threat, Threat):
        raise InputError(f"threat must be a Threat(...), not {threat!r}.")
    return threat or Threat(operations)  # type: ignore[arg-type]


@lru_cache
def keyboard_neighbours() -> Mapping[str, str]:
    """Return for each key of a US keyboard the keys around it, as in Huang et al. (2019).

    Examples:
        >>> levcert.keyboard_neighbours()["a"]
        'qwsz'
    """
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
