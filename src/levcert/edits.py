"""Edits of a text: what one is, applying several, and the shortest script between two texts."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeVar, cast, get_args

from rapidfuzz.distance import Levenshtein

from levcert.errors import InputError

Operation = Literal["insert", "delete", "substitute"]
OPERATIONS: Final[frozenset[Operation]] = frozenset(get_args(Operation))

T = TypeVar("T", str, bytes)
AnyText = TypeVar("AnyText", bound=str | bytes)


@dataclass(frozen=True)
class Edit:
    """One insertion, deletion or substitution; positions count from 0 in the text before any edit."""

    operation: Operation
    position: int
    symbol: str | bytes | None = None

    def __post_init__(self) -> None:
        if self.operation not in OPERATIONS:
            raise InputError(f"An edit is one of {sorted(OPERATIONS)}, not {self.operation!r}.")
        if (self.symbol is None) != (self.operation == "delete"):
            raise InputError("Insertions and substitutions have a symbol, deletions have none.")
        if self.symbol is not None and len(self.symbol) != 1:
            raise InputError(f"An edit has one symbol, and {self.symbol!r} has {len(self.symbol)}.")
        if self.position < 0:
            raise InputError(f"Positions count from 0; {self.position} is not in any text.")

    def __repr__(self) -> str:
        match self.operation:
            case "insert":
                return f"insert {self.symbol!r} before {self.position}"
            case "delete":
                return f"delete at {self.position}"
            case _:
                return f"substitute {self.symbol!r} at {self.position}"


def apply_edits(text: AnyText, edits: Iterable[Edit]) -> AnyText:
    """Apply edits at once: every position is one of ``text`` itself, whatever the other edits do.

    Insertions before the same position appear in the order given.  A character can be deleted or substituted
    once only.
    """
    inserted: dict[int, Any] = {}
    replaced: dict[int, Any] = {}
    empty: Any = text[:0]
    for edit in edits:
        if edit.position > len(text) - (edit.operation != "insert"):
            raise InputError(f"The edit '{edit}' lies outside a text of {len(text)} characters.")
        symbol = empty if edit.symbol is None else edit.symbol
        if not isinstance(symbol, type(text)):
            raise InputError(f"The edit '{edit}' does not fit a text of type {type(text).__name__}.")
        if edit.operation == "insert":
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


def edit_script(source: AnyText, target: AnyText, operations: Collection[Operation] = OPERATIONS) -> list[Edit]:
    """Return a shortest list of edits with ``apply_edits(source, script) == target``, of some operations only."""
    if not OPERATIONS.issubset(operations):
        return _restricted_script(source, target, operations)
    script = []
    for step in Levenshtein.editops(source, target):
        symbol = target[step.dest_pos : step.dest_pos + 1]
        match step.tag:
            case "insert":
                script.append(Edit("insert", step.src_pos, symbol))
            case "delete":
                script.append(Edit("delete", step.src_pos))
            case "replace":
                script.append(Edit("substitute", step.src_pos, symbol))
    return script


def _restricted_script(source: AnyText, target: AnyText, operations: Collection[Operation]) -> list[Edit]:
    """The recursion of the Levenshtein distance from the ends backwards, with the choices remembered."""
    m, n = len(source), len(target)
    cost = [[math.inf] * (n + 1) for _ in range(m + 1)]
    cost[m][n] = 0
    choice: dict[tuple[int, int], Operation | None] = {}
    for i in range(m, -1, -1):
        for j in range(n, -1, -1):
            options: list[tuple[float, Operation | None]] = []
            if i < m and j < n and source[i] == target[j]:
                options.append((cost[i + 1][j + 1], None))
            if i < m and j < n and "substitute" in operations:
                options.append((cost[i + 1][j + 1] + 1, "substitute"))
            if i < m and "delete" in operations:
                options.append((cost[i + 1][j] + 1, "delete"))
            if j < n and "insert" in operations:
                options.append((cost[i][j + 1] + 1, "insert"))
            if options:
                cost[i][j], choice[i, j] = min(options, key=lambda option: option[0])
    if cost[0][0] == math.inf:
        raise InputError(f"No edits of the kind {' or '.join(sorted(operations))} lead from one text to the other.")
    script, i, j = [], 0, 0
    while (i, j) != (m, n):
        operation = choice[i, j]
        if operation is not None:
            script.append(Edit(operation, i, None if operation == "delete" else target[j : j + 1]))
        i += operation != "insert"
        j += operation != "delete"
    return script
