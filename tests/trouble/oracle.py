"""The slow, obviously right answer: labels, balls and radii of small models, in plain Python.

Nothing here imports levcert.  A model is read through its public data only: the fields of its alphabet, its labels, the
rows of its votes by the hash of docs/formats.md, or the arrays of a convolution, taken in plain loops.

* **Label** (decision of soundness.md): the first of the best scores.  A text loses the label y exactly if another class
  scores more, or as much and stands before y.
* **Ball** (likewise): texts as typed.  Every character is kept, deleted or substituted at most once, and characters
  are inserted anywhere between.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

Text = str | bytes
DROPPED = "€"  # a character that no alphabet of the tests holds: dropped, or mapped to the unknown symbol
_MASK = (1 << 64) - 1
_FIRST, _SECOND = 0x9E3779B97F4A7C15, 0xD6E8FEB86659FD93
_CLEAR = 1e-9  # a margin beyond this share of its terms is clear for any order of the sums
_SMALLEST = 1e-280  # below it products underflow, and no order of the sums is clear


def characters(text: Text) -> list[Any]:
    """Return the characters of a text: str of length 1, or bytes of length 1."""
    return [text[i : i + 1] for i in range(len(text))]


# What a model sees.


@dataclass(frozen=True)
class Reader:
    """How an alphabet (given by the fields that model files store) reads one character: an id, or 0 for nothing."""

    fields: dict[str, Any]

    def folded(self, character: Any) -> Any:
        if self.fields["kind"] == "bytes":
            return character
        if "fold" in self.fields:
            return self._folded_by_table(character)
        lower = character.lower() if self.fields["folding"] else character
        return lower if len(lower) == 1 else character

    def _folded_by_table(self, character: str) -> str:
        for line in self.fields["fold"]["changes"].split("\n"):
            target, characters = line.split(":")
            for run in characters.split():
                first, last = run.split("-") if "-" in run else (run, run)
                if int(first, 16) <= ord(character) <= int(last, 16):
                    return chr(int(target, 16)) if target else ""
        return character

    def id(self, character: Any) -> int:
        if self.fields["kind"] == "bytes":
            return character[0] + 1
        if not self.folded(character):
            return 0
        place = self.fields["symbols"].find(self.folded(character))
        if place >= 0:
            return place + 1
        return len(self.fields["symbols"]) + 1 if self.fields["unknown"] == "symbol" else 0

    def ids(self, text: Text) -> tuple[int, ...]:
        return tuple(number for number in map(self.id, characters(text)) if number)


def vote_row(gram: Sequence[int], rows: int) -> int | None:
    """Return the row of an n-gram by the documented hash; None for nothing but padding."""
    h = sum(s * pow(_FIRST, len(gram) - 1 - i, 1 << 64) for i, s in enumerate(gram)) & _MASK
    if h == 0:
        return None
    h = ((h ^ (h >> 32)) * _SECOND) & _MASK
    return h >> (64 - (rows.bit_length() - 1))


def grams(ids: Sequence[int], n: int) -> list[tuple[int, ...]]:
    """Return all windows of width n that hold a symbol of the padded text."""
    padded = (*[0] * (n - 1), *ids, *[0] * (n - 1))
    return [padded[i : i + n] for i in range(len(padded) - n + 1)] if ids else []


def rows_hit(ids: Sequence[int], orders: Sequence[int], rows: int) -> list[tuple[int, int]]:
    """Return (number of the order, row) of each n-gram of a text, as often as it occurs."""
    found = [(o, vote_row(gram, rows)) for o, n in enumerate(orders) for gram in grams(ids, n)]
    return [(o, row) for o, row in found if row is not None]


ACTIVATIONS: dict[str, Callable[[float], float]] = {
    "relu": lambda x: max(x, 0.0),
    "leaky_relu": lambda x: max(x, 0.01 * x),
    "tanh": math.tanh,
    "gelu": lambda x: 0.5 * x * (1 + math.erf(x / math.sqrt(2))),
}


@dataclass
class Scorer:
    """Scores of a model and, beside each, the sum of the absolute values of its terms."""

    model: Any
    reader: Reader = field(init=False)
    exact: bool = field(init=False)  # whether scores are whole numbers
    _windows: dict[tuple[int, ...], tuple[list[float], list[float]]] = field(init=False, default_factory=dict)
    _scores: dict[tuple[int, ...], tuple[list[float], list[float]]] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        self.reader = Reader(self.model.alphabet.to_dict())
        self.exact = hasattr(self.model, "votes")
        if self.exact:
            self._rows = self.model.votes.shape[1]
        else:
            self._embedding = self.model.embedding.tolist()
            self._kernels = [kernel.tolist() for kernel in self.model.kernels]
            self._head = self.model.head.tolist()

    def scores(self, ids: tuple[int, ...]) -> tuple[list[float], list[float]]:
        if ids not in self._scores:
            self._scores[ids] = self._votes(ids) if self.exact else self._sum(ids)
        return self._scores[ids]

    def _votes(self, ids: tuple[int, ...]) -> tuple[list[float], list[float]]:
        total = [0] * len(self.model.labels)
        for order, row in rows_hit(ids, self.model.orders, self._rows):
            for y, vote in enumerate(self.model.votes[order, row].tolist()):
                total[y] += vote
        return total, [0.0] * len(total)  # type: ignore[return-value]

    def _sum(self, ids: tuple[int, ...]) -> tuple[list[float], list[float]]:
        width = 1 + sum(len(kernel) - 1 for kernel in self._kernels)
        total, size = [0.0] * len(self._head), [0.0] * len(self._head)
        for window in grams(ids, width):
            if window not in self._windows:
                self._windows[window] = self._window(window)
            for y, (score, terms) in enumerate(zip(*self._windows[window], strict=True)):
                total[y] += score
                size[y] += terms
        return total, size

    def _window(self, window: tuple[int, ...]) -> tuple[list[float], list[float]]:
        """Put one window through the network, layer by layer; every layer leaves fewer positions, the last one."""
        activation = ACTIVATIONS[self.model.activation.name]
        nothing = [0.0] * len(self._embedding[0])
        values = [self._embedding[symbol - 1] if symbol else nothing for symbol in window]
        sizes = [[abs(x) for x in value] for value in values]
        for kernel in self._kernels:
            places = range(len(values) - len(kernel) + 1)
            sums = [
                [
                    sum(w * x for j, tap in enumerate(kernel) for w, x in zip(tap[h], values[i + j], strict=True))
                    for h in range(len(kernel[0]))
                ]
                for i in places
            ]
            sizes = [
                [
                    2
                    * sum(abs(w) * x for j, tap in enumerate(kernel) for w, x in zip(tap[h], sizes[i + j], strict=True))
                    for h in range(len(kernel[0]))
                ]
                for i in places
            ]
            values = [[activation(x) for x in row] for row in sums]
        (features,), (size,) = values, sizes
        return (
            [sum(w * x for w, x in zip(row, features, strict=True)) for row in self._head],
            [sum(abs(w) * x for w, x in zip(row, size, strict=True)) for row in self._head],
        )

    def margin(self, ids: tuple[int, ...], label: int) -> float:
        """Return f_y minus the best other score."""
        scores, _ = self.scores(ids)
        return scores[label] - max(s for y, s in enumerate(scores) if y != label)

    def label(self, ids: tuple[int, ...], text: Text) -> int:
        """Return the number of the label: the first of the best scores.

        Where floating-point sums are too near to each other to tell without their order, the model itself is asked
        about the text: its answer is what certificates are about.
        """
        scores, sizes = self.scores(ids)
        best = scores.index(max(scores))
        if self.exact or not ids:
            return best
        doubt = any(
            not abs(scores[best] - score) > _CLEAR * (sizes[best] + size) + _SMALLEST
            for y, (score, size) in enumerate(zip(scores, sizes, strict=True))
            if y != best
        )
        return self.model.labels.index(str(self.model.predict([text])[0])) if doubt else best


# What an attacker may do.


@dataclass(frozen=True)
class Rules:
    """Which edits of typed characters a threat allows; ``universe`` stands for everything that could be typed."""

    operations: frozenset[str]
    symbols: Text | None
    neighbours: Any
    universe: tuple[Any, ...]
    reader: Reader
    deletable: Text | None = None  # what may be deleted, as typed or folded; None: anything

    def insertable(self) -> list[Any]:
        if "insert" not in self.operations:
            return []
        return [c for c in self.universe if self.symbols is None or c in characters(self.symbols)]

    def replacements(self, old: Any) -> list[Any]:
        if "substitute" not in self.operations:
            return []
        candidates: Iterable[Any] = self.universe
        if self.neighbours is not None:
            candidates = dict.fromkeys(self.near(old))
        allowed = None if self.symbols is None else characters(self.symbols)
        return [c for c in candidates if c != old and (allowed is None or c in allowed)]

    def near(self, old: Any) -> list[Any]:
        """Return the listed neighbours of a character, as typed or folded; those of a byte are listed as characters."""
        if isinstance(old, bytes):
            return [c.encode("latin-1") for c in self.neighbours.get(old.decode("latin-1"), "")]
        return characters(self.neighbours.get(old, "") + self.neighbours.get(self.reader.folded(old), ""))

    def may_delete(self, old: Any) -> bool:
        if "delete" not in self.operations or self.deletable is None:
            return "delete" in self.operations
        return any(c in characters(self.deletable) for c in (old, self.reader.folded(old)))

    def may_insert(self, character: Any) -> bool:
        """Whether this very character, in the universe or not, may be inserted."""
        return "insert" in self.operations and (self.symbols is None or character in characters(self.symbols))

    def may_replace(self, old: Any, new: Any) -> bool:
        if "substitute" not in self.operations or (self.symbols is not None and new not in characters(self.symbols)):
            return False
        if self.neighbours is None:
            return True
        return new in self.near(old)


def rules_of(threat: Any, reader: Reader) -> Rules:
    """Read a threat; of all characters, one for each that the model can tell apart will do, and one that it drops."""
    if reader.fields["kind"] == "bytes":
        symbols, deletable = (s.encode() if isinstance(s, str) else s for s in (threat.symbols, threat.deletable))
        every = symbols if symbols is not None else bytes(range(256))
        universe = tuple(characters(every))
        return Rules(frozenset(map(str, threat.operations)), symbols, threat.neighbours, universe, reader, deletable)
    every = reader.fields["symbols"] + DROPPED + (threat.symbols or "")
    universe = tuple(dict.fromkeys(every))
    operations = frozenset(map(str, threat.operations))
    return Rules(operations, threat.symbols, threat.neighbours, universe, reader, threat.deletable)


def ball(text: Text, k: int, rules: Rules) -> dict[Any, int]:
    """Return every text that k allowed edits reach, with the least number that does.

    ``reached[i]`` are the texts that ``text[i:]`` can become with e edits: its first character is kept, deleted or
    substituted, or something is inserted before it.
    """
    typed = characters(text)
    distance: dict[Any, int] = {text: 0}
    insertable = rules.insertable()
    fewer = [{text[i:]} for i in range(len(typed) + 1)]
    for e in range(1, k + 1):
        reached: list[set[Any]] = [set() for _ in range(len(typed) + 1)]
        for i in range(len(typed), -1, -1):
            here = {c + rest for c in insertable for rest in fewer[i]} | fewer[i]
            if i < len(typed):
                here |= {typed[i] + rest for rest in reached[i + 1]}
                here |= {c + rest for c in rules.replacements(typed[i]) for rest in fewer[i + 1]}
                if rules.may_delete(typed[i]):
                    here |= fewer[i + 1]
            reached[i] = here
        for candidate in reached[0]:
            distance.setdefault(candidate, e)
        fewer = reached
    return distance


def typed_distance(source: Text, target: Text, rules: Rules) -> float:
    """Return the least number of allowed edits from one text to another; infinity if there is no way."""
    a, b = characters(source), characters(target)
    cost = [[math.inf] * (len(b) + 1) for _ in range(len(a) + 1)]
    for i in range(len(a), -1, -1):
        for j in range(len(b), -1, -1):
            options = [0.0] if (i, j) == (len(a), len(b)) else []
            if i < len(a) and j < len(b):
                if a[i] == b[j]:
                    options.append(cost[i + 1][j + 1])
                if rules.may_replace(a[i], b[j]):
                    options.append(1 + cost[i + 1][j + 1])
            if i < len(a) and rules.may_delete(a[i]):
                options.append(1 + cost[i + 1][j])
            if j < len(b) and rules.may_insert(b[j]):
                options.append(1 + cost[i][j + 1])
            cost[i][j] = min(options, default=math.inf)
    return cost[0][0]


def random_script(text: Text, edits: int, rules: Rules, rng: random.Random) -> Any:
    """Return a text that at most so many random allowed edits reach."""
    before: list[list[Any]] = [[] for _ in range(len(text) + 1)]  # what is inserted before each character
    typed: list[Any] = characters(text)
    free = list(range(len(text)))  # characters without an edit
    insertable = rules.insertable()
    for _ in range(edits):
        kind = rng.choice(sorted(rules.operations))
        if kind == "insert" and insertable:
            before[rng.randrange(len(before))].append(rng.choice(insertable))
        elif kind != "insert" and free:
            place = free.pop(rng.randrange(len(free)))
            deleted = [text[:0]] if rules.may_delete(typed[place]) else []
            options = (deleted if kind == "delete" else rules.replacements(typed[place])) or [typed[place]]
            typed[place] = rng.choice(options)
    joined = [c for i, own in enumerate([*typed, text[:0]]) for c in (*before[i], own)]
    return text[:0].join(joined)


# The answer.


@dataclass(frozen=True)
class Truth:
    """The label of a text, its radius up to k, and a nearest text with another label, if there is one within k."""

    label: int
    radius: int
    counterexample: Text | None
    worst: float  # the least margin within k edits, by the oracle's own sums
    size: int  # of the ball


Seen = dict[tuple[int, ...], tuple[int, Text]]


def seen_ball(text: Text, k: int, rules: Rules) -> Seen:
    """Return what a model can tell apart of the ball: the ids, their distance, and a text that has them."""
    nearest: Seen = {}
    for candidate, distance in ball(text, k, rules).items():
        ids = rules.reader.ids(candidate)
        if ids not in nearest or distance < nearest[ids][0]:
            nearest[ids] = distance, candidate
    return nearest


def truth(
    scorer: Scorer, text: Text, k: int, rules: Rules, seen: Seen | None = None, target: int | None = None
) -> Truth:
    """Ask for the label of every text of the ball; texts that the model cannot tell apart are asked about once.

    With a target, only texts with that label count as counterexamples.
    """
    label = scorer.label(scorer.reader.ids(text), text)
    nearest = seen_ball(text, k, rules) if seen is None else seen
    first, counterexample, worst = k + 1, None, math.inf
    for ids, (distance, candidate) in nearest.items():
        worst = min(worst, scorer.margin(ids, label))
        if distance < first and is_lost(scorer.label(ids, candidate), label, target):
            first, counterexample = distance, candidate
    return Truth(label, first - 1, counterexample, worst, len(nearest))


def is_lost(found: int, label: int, target: int | None) -> bool:
    """Whether a text with the label ``found`` refutes a certificate: of any other label, or of the target alone."""
    return found != label if target is None else found == target


def far_counterexample(
    scorer: Scorer, text: Text, label: int, k: int, rules: Rules, target: int | None = None
) -> tuple[int, Text] | None:
    """Sample texts beyond the ball; return the nearest found that loses the label, and an upper bound of its distance.

    Where everything can be deleted, the empty text is among them: it scores 0 for all classes.
    """
    rng = random.Random(repr((text, k, sorted(rules.operations))))
    erasable = all(map(rules.may_delete, characters(text))) and len(text) > k
    candidates = [(len(text), text[:0])] if erasable else []
    candidates += [(e, random_script(text, e, rules, rng)) for e in range(k + 1, k + 5) for _ in range(8)]
    lost = [(e, q) for e, q in candidates if is_lost(scorer.label(scorer.reader.ids(q), q), label, target)]
    return min(lost, key=lambda found: found[0], default=None)


def id_substitution_rules(rules: Rules) -> Rules:
    """Return what a claim about substitutions of known characters by known ones is judged by."""
    known = tuple(c for c in rules.universe if rules.reader.id(c))
    symbols = rules.symbols
    if symbols is not None:
        symbols = symbols[:0].join(c for c in characters(symbols) if rules.reader.id(c))
    return _KnownOnly(frozenset({"substitute"}), symbols, rules.neighbours, known, rules.reader)


class _KnownOnly(Rules):
    """Substitutions of characters that the model sees by others that it sees."""

    def replacements(self, old: Any) -> list[Any]:
        return [c for c in super().replacements(old) if self.reader.id(c)] if self.reader.id(old) else []


def smoothed_share(scorer: Scorer, text: Text, label: int, deletion: float) -> float:
    """Return the exact probability of a label after deleting each character with a given probability."""
    typed = characters(text)
    share = 0.0
    for kept in range(1 << len(typed)):
        rest = text[:0].join(c for i, c in enumerate(typed) if kept >> i & 1)
        if scorer.label(scorer.reader.ids(rest), rest) == label:
            share += (1 - deletion) ** len(rest) * deletion ** (len(typed) - len(rest))
    return share
