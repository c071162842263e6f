"""All texts within k edits of a text: how many, which, and one at random.

The ball is the language of a deterministic automaton.  Reading a candidate from left to right, the automaton
knows the Levenshtein row ``row[j]`` = cost of turning ``text[:j]`` into what was read so far.  Entries above k
are as good as infinite, so only the band ``|j − n| <= k`` matters after n characters, and few different rows
occur.  Each text of the ball is exactly one accepted path, so duplicates (deleting either of two equal
neighbours) cannot arise: counting paths gives the exact size, walking them the enumeration, and choosing
each step in proportion to the paths behind it a uniform sample.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import Generic, Literal

from levcert.errors import InputError
from levcert.text.alphabet import Alphabet
from levcert.text.edits import OPERATIONS, Operation, OperationName, T, operation_of

Row = tuple[int, ...]
Relation = Literal["same", "other", "outside"]  # of the character read to one character of the text's band


@dataclass(frozen=True, eq=False)
class Ball(Generic[T]):
    """The texts within ``distance`` edits of ``text``, including the text itself.

    Edits insert and substitute characters of ``alphabet``; characters of ``text`` outside it can be kept or deleted,
    but not placed anywhere else.  ``operations`` restricts the edits.  Building a ball takes
    about 0.1 ms per character of the text for k = 1, 0.3 ms for k = 2 and 1.3 ms for k = 3; the size is exact,
    no matter how large.

    Examples:
        >>> sorted(levcert.Ball("a", 1, levcert.Alphabet("ab")))
        ['', 'a', 'aa', 'ab', 'b', 'ba']
    """

    text: T
    distance: int
    alphabet: Alphabet | T
    operations: Collection[Operation | OperationName] = OPERATIONS
    _levels: list[dict[Row, _Node[T]]] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        if not isinstance(self.distance, int) or self.distance < 0:
            raise InputError(f"The distance of a ball must be an integer of at least 0, not {self.distance!r}.")
        if not isinstance(self.text, str | bytes):
            raise InputError(f"The text of a ball must be str or bytes, not {self.text!r}.")
        object.__setattr__(self, "operations", frozenset(map(operation_of, self.operations)))
        object.__setattr__(self, "_levels", self._build())

    @property
    def size(self) -> int:
        """The exact number of texts in the ball."""
        return self._levels[0][self._start].paths

    def __iter__(self) -> Iterator[T]:
        """Walk through the ball, each text once."""
        stack = [(self.text[:0], 0, self._start)]
        while stack:
            prefix, depth, row = stack.pop()
            node = self._levels[depth][row]
            if node.paths == 1:  # no edit left: the rest of the text follows, from any position still alive
                alive = next(index for index, cost in enumerate(row) if cost <= self.distance)
                yield prefix + self.text[depth - self.distance + alive :]
                continue
            if node.accepts:
                yield prefix
            for symbols, target in node.steps:
                stack += [(prefix + symbol, depth + 1, target) for symbol in _each(symbols)]

    def __contains__(self, candidate: object) -> bool:
        if not isinstance(candidate, type(self.text)):
            return False
        row = self._start
        for depth, symbol in enumerate(_each(candidate)):
            node = self._levels[depth].get(row) if depth < len(self._levels) else None
            followers = [target for symbols, target in node.steps if symbol in symbols] if node else []
            if not followers:
                return False
            row = followers[0]
        node = self._levels[len(candidate)].get(row) if len(candidate) < len(self._levels) else None
        return node is not None and node.accepts

    def sample(self, rng: random.Random) -> T:
        """Return one text, each of the ball with the same probability."""
        sampled, depth, row = self.text[:0], 0, self._start
        while True:
            node = self._levels[depth][row]
            ticket = rng.randrange(node.paths)
            if ticket < node.accepts:
                return sampled
            ticket -= node.accepts
            for symbols, target in node.steps:
                behind = self._levels[depth + 1][target].paths
                if ticket < behind * len(symbols):
                    sampled += symbols[ticket // behind : ticket // behind + 1]
                    depth, row = depth + 1, target
                    break
                ticket -= behind * len(symbols)

    @cached_property
    def _insertable(self) -> T:
        """The attacker's symbols as one text, each once."""
        if isinstance(self.alphabet, Alphabet):
            given = self.alphabet.decode(range(1, self.alphabet.size + 1))
        else:
            given = self.alphabet
        if not isinstance(given, type(self.text)):
            raise InputError("The text and the alphabet of a ball must be both str or both bytes.")
        return self.text[:0].join(dict.fromkeys(_each(given)))

    @property
    def _start(self) -> Row:
        k = self.distance
        reach = len(self.text) if Operation.DELETE in self.operations else 0
        return tuple(j if 0 <= j <= reach else k + 1 for j in range(-k, k + 1))

    def _build(self) -> list[dict[Row, _Node[T]]]:
        """Build the automaton level by level forwards, then count paths backwards."""
        k, length = self.distance, len(self.text)
        step = _stepper(k, frozenset(map(operation_of, self.operations)))
        levels: list[dict[Row, _Node[T]]] = []
        rows = {self._start}
        while rows:
            depth = len(levels)
            level = {}
            for row in rows:
                end = length - depth + k  # where the band holds row[len(text)]
                level[row] = _Node[T](0 <= end <= 2 * k and row[end] <= k)
            levels.append(level)
            band = [self.text[j : j + 1] if 0 <= j < length else None for j in range(depth - k, depth + k + 1)]
            present = dict.fromkeys(symbol for symbol in band if symbol is not None)
            rest = self.text[:0].join(symbol for symbol in _each(self._insertable) if symbol not in present)
            groups = [(symbol, symbol in self._insertable) for symbol in present] + [(rest, True)] * bool(rest)
            rows = set()
            for symbols, insertable in groups:
                relations: tuple[Relation, ...] = tuple(
                    "outside" if symbol is None else "same" if symbol == symbols else "other" for symbol in band
                )
                for row, node in level.items():
                    target = step(row, relations, insertable)
                    if min(target) <= k:
                        node.steps.append((symbols, target))
                        rows.add(target)
        for depth in reversed(range(len(levels))):
            for node in levels[depth].values():
                behind = (len(symbols) * levels[depth + 1][target].paths for symbols, target in node.steps)
                node.paths = node.accepts + sum(behind)
        return levels


@dataclass
class _Node(Generic[T]):
    """A state of the automaton: does a text end here, where does each group of symbols lead, how many paths follow."""

    accepts: bool
    steps: list[tuple[T, Row]] = field(default_factory=list)
    paths: int = 0


def _stepper(k: int, operations: frozenset[Operation]) -> Callable[[Row, tuple[Relation, ...], bool], Row]:
    """Return the row update of the Levenshtein recursion, remembered: few different updates occur."""

    @cache
    def step(row: Row, relations: tuple[Relation, ...], insertable: bool) -> Row:
        target: list[int] = []
        for index, relation in enumerate(relations):
            # After one more character the band has moved by one: entry `index` was entry `index + 1`.
            cost = k + 1
            if relation == "same":
                cost = row[index]
            elif relation == "other" and insertable and Operation.SUBSTITUTE in operations:
                cost = row[index] + 1
            if insertable and Operation.INSERT in operations and index < 2 * k:
                cost = min(cost, row[index + 1] + 1)
            if relation != "outside" and target and Operation.DELETE in operations:
                cost = min(cost, target[-1] + 1)
            target.append(min(cost, k + 1))
        return tuple(target)

    return step


def _each(symbols: T) -> Iterator[T]:
    """Give the characters of a str, or the bytes of a bytes as bytes."""
    return (symbols[i : i + 1] for i in range(len(symbols)))
