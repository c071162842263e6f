"""Edits of a text: what one is, applying several, and the shortest script between two texts."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Final, TypeVar, cast, get_args

from rapidfuzz.distance import Levenshtein

from levcert.errors import InputError
from levcert.kernels.operations import Operation as Operation
from levcert.kernels.operations import OperationName as OperationName

OPERATIONS: Final = frozenset(Operation)


def operation_of(operation: Operation | OperationName) -> Operation:
    """Return an operation that is given as such or by its name."""
    if isinstance(operation, Operation):
        return operation
    if operation not in get_args(OperationName):
        raise InputError(f"An operation must be insert, delete or substitute, not {operation!r}.")
    return Operation[operation.upper()]


T = TypeVar("T", str, bytes)
AnyText = TypeVar("AnyText", bound=str | bytes)


@dataclass(frozen=True)
class Edit:
    """One insertion, deletion or substitution; positions count from 0 in the text before any edit.

    Examples:
        >>> print(levcert.Edit("substitute", 0, "s"))
        substitute 's' for character 1
    """

    operation: Operation  # or its name
    position: int
    symbol: str | bytes | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "operation", operation_of(self.operation))
        if (self.symbol is None) != (self.operation == Operation.DELETE):
            raise InputError("Insertions and substitutions need a symbol; deletions must not have one.")
        if self.symbol is not None and len(self.symbol) != 1:
            raise InputError(f"An edit has one symbol, but {self.symbol!r} has {len(self.symbol)}.")
        if self.position < 0:
            raise InputError(f"Positions count from 0; {self.position} is not in any text.")

    def __str__(self) -> str:
        """Say it to people, who count characters from 1 (the page does, too)."""
        match self.operation:
            case Operation.INSERT:
                place = f"after character {self.position}" if self.position else "at the start"
                return f"insert {self.symbol!r} {place}"
            case Operation.DELETE:
                return f"delete character {self.position + 1}"
            case _:
                return f"substitute {self.symbol!r} for character {self.position + 1}"

    def __repr__(self) -> str:
        match self.operation:
            case Operation.INSERT:
                return f"insert {self.symbol!r} before {self.position}"
            case Operation.DELETE:
                return f"delete at {self.position}"
            case _:
                return f"substitute {self.symbol!r} at {self.position}"


def apply_edits(text: AnyText, edits: Iterable[Edit]) -> AnyText:
    """Apply edits at once: every position is one of ``text`` itself, independent of the other edits.

    Insertions before the same position appear in the order given.  A character can be deleted or substituted
    once only.

    Examples:
        >>> levcert.apply_edits("kitten", [levcert.Edit("substitute", 0, "s"), levcert.Edit("insert", 6, "s")])
        'sittens'
    """
    inserted: dict[int, Any] = {}
    replaced: dict[int, Any] = {}
    empty: Any = text[:0]
    for edit in edits:
        if edit.position > len(text) - (edit.operation != Operation.INSERT):
            raise InputError(f"The edit '{edit}' lies outside a text of {len(text)} characters.")
        symbol = empty if edit.symbol is None else edit.symbol
        if not isinstance(symbol, type(text)):
            raise InputError(f"The edit '{edit}' does not fit a text of type {type(text).__name__}.")
        if edit.operation == Operation.INSERT:
            inserted[edit.position] = inserted.get(edit.position, empty) + symbol
        elif edit.position in replaced:
            raise InputError(f"Two edits replace or delete the character at {edit.position}; give one.")
        else:
            replaced[edit.position] = symbol
    result: Any = empty
    copied = 0
    for position in sorted(inserted.keys() | replaced.keys()):
        result += text[copied:position] + inserted.get(position, empty)
        copied = position
        if position in replaced:
            result += replaced[position]
            copied += 1
    return cast(AnyText, result + text[copied:])


def edit_script(source: AnyText, target: AnyText) -> list[Edit]:
    """Return a shortest list of edits with ``apply_edits(source, script) == target``.

    Examples:
        >>> for edit in levcert.edit_script("kitten", "sitting"):
        ...     print(edit)
        substitute 's' for character 1
        substitute 'i' for character 5
        insert 'g' after character 6
    """
    script = []
    for step in Levenshtein.editops(source, target):
        symbol = target[step.dest_pos : step.dest_pos + 1]
        match step.tag:
            case "insert":
                script.append(Edit(Operation.INSERT, step.src_pos, symbol))
            case "delete":
                script.append(Edit(Operation.DELETE, step.src_pos))
            case "replace":
                script.append(Edit(Operation.SUBSTITUTE, step.src_pos, symbol))
    return script


def allowed_script(
    source: str | bytes,
    target: str | bytes,
    most: int,
    *,
    insert: Callable[[str | bytes], bool],
    delete: Callable[[str | bytes], bool],
    replace: Callable[[str | bytes, str | bytes], bool],
) -> list[Edit] | None:
    """Return the fewest allowed edits with ``apply_edits(source, script) == target``; None if there are more than most.

    The recursion of the Levenshtein distance.  Each insertion moves what follows by one and each deletion back, so
    only the band |i − j| ≤ most matters.
    """
    a = [source[i : i + 1] for i in range(len(source))]
    b = [target[j : j + 1] for j in range(len(target))]
    if abs(len(a) - len(b)) > most:
        return None
    cost: dict[tuple[int, int], int] = {(len(a), len(b)): 0}
    choice: dict[tuple[int, int], Operation | None] = {}
    far = most + 1
    for i in range(len(a), -1, -1):
        for j in range(min(len(b), i + most), max(0, i - most) - 1, -1):
            options: list[tuple[int, Operation | None]] = []
            if i < len(a) and j < len(b):
                if a[i] == b[j]:
                    options.append((cost.get((i + 1, j + 1), far), None))
                elif replace(a[i], b[j]):
                    options.append((cost.get((i + 1, j + 1), far) + 1, Operation.SUBSTITUTE))
            if i < len(a) and delete(a[i]):
                options.append((cost.get((i + 1, j), far) + 1, Operation.DELETE))
            if j < len(b) and insert(b[j]):
                options.append((cost.get((i, j + 1), far) + 1, Operation.INSERT))
            if options:
                cost[i, j], choice[i, j] = min(options, key=lambda option: option[0])
    if cost.get((0, 0), far) > most:
        return None
    script, i, j = [], 0, 0
    while (i, j) != (len(a), len(b)):
        operation = choice[i, j]
        if operation is not None:
            script.append(Edit(operation, i, None if operation == Operation.DELETE else b[j]))
        i += operation != Operation.INSERT
        j += operation != Operation.DELETE
    return script
