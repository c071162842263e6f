"""A climber over weights, votes and texts towards the place where a certifier claims k edits and k edits are enough.

The value of a state, for one certifier and one k:

* the certifier claims less than k: its radius, and the worst margin within k edits (larger is nearer to a claim);
* it claims k: 10 minus the worst margin, relative to the margin of the text.  Above 10 a certificate is false.

Whenever a step crosses from "claimed" to "lost", the segment between both states is bisected: that brings the margin to
the certified boundary and to the true one, where rounding, ties and strict inequalities decide.  Convolutions also
start from extreme scales: their parts are multiplied by powers of ten whose product stays in range.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

import levcert
from levcert import Alphabet, ConvModel, Threat, VoteModel
from levcert.certifiers.certify import CERTIFIERS
from levcert.errors import InputError
from tests.trouble.judge import Case
from tests.trouble.milp_votes import ROWS
from tests.trouble.oracle import (
    Reader,
    Scorer,
    Seen,
    Truth,
    id_substitution_rules,
    rules_of,
    seen_ball,
    truth,
    vote_row,
)
from tests.trouble.threats import threats

EXPONENTS = (0, 0, -10, -80, -100, -150, -155, -160, -163, -170, -200, -300, -308, -318, -320, 60, 120, 155, 160, 300)
CLIMBED = [name for name in CERTIFIERS if name not in ("smoothing", "brute-force")]  # those two sample or enumerate


@dataclass(frozen=True)
class State:
    """Arrays of numbers, the text, and how to make a model of them."""

    parts: tuple[np.ndarray, ...]  # embedding, kernels …, head; or the votes of all n-grams for all classes
    exponents: tuple[int, ...]  # of ten: what each part is multiplied by
    text: str
    alphabet: Alphabet
    activation: str = "relu"
    orders: tuple[int, ...] = ()  # of votes; none: a convolution
    whole: bool = False  # whether weights are whole numbers

    def model(self) -> Any:
        if not self.orders:
            embedding, *kernels, head = (
                part * 10.0**exponent for part, exponent in zip(self.parts, self.exponents, strict=True)
            )
            return ConvModel(self.alphabet, embedding, kernels, head, activation=self.activation)
        votes = np.zeros((len(self.orders), ROWS, self.parts[0].shape[1]), dtype=np.int8)
        for values, (order, row) in zip(self.parts[0], self.rows(), strict=True):
            votes[order, row] = np.clip(np.rint(values), -127, 127)
        return VoteModel(self.alphabet, votes, self.orders)

    def rows(self) -> list[tuple[int, int]]:
        """Return the row of every n-gram over the alphabet; of two that share a row, the later one counts."""
        return _all_rows(self.alphabet.size, self.orders)

    def between(self, other: State, share: float) -> State:
        """Return the state on the way to another one with the same text."""
        parts = tuple(a + share * (b - a) for a, b in zip(self.parts, other.parts, strict=True))
        return replace(self, parts=parts)

    def changed(self, rng: random.Random, numbers: np.random.Generator) -> State:
        """Change one part a little, or a character of the text."""
        if rng.random() < 0.2:
            place, symbol = rng.randrange(len(self.text)), rng.choice(self.alphabet.symbols)
            return replace(self, text=self.text[:place] + symbol + self.text[place + 1 :])
        parts = list(self.parts)
        chosen = rng.randrange(len(parts))
        part = parts[chosen].copy()
        touched = numbers.random(part.shape) < max(1 / part.size, rng.choice([0.05, 0.3, 1.0]))
        if self.whole or self.orders:
            part += touched * numbers.integers(-2, 3, part.shape)
        else:
            part += touched * numbers.normal(size=part.shape) * rng.choice([0.03, 0.3, 1.0])
        parts[chosen] = part
        return replace(self, parts=tuple(parts))


def _all_rows(symbols: int, orders: tuple[int, ...]) -> list[tuple[int, int]]:
    found = []
    for order, n in enumerate(orders):
        for number in range(1, (symbols + 1) ** n):
            gram = [number // (symbols + 1) ** i % (symbols + 1) for i in range(n)]
            row = vote_row(gram, ROWS)
            assert row is not None
            found.append((order, row))
    return found


def start(rng: random.Random, numbers: np.random.Generator) -> State:
    """Return random votes or a random convolution, of random or of whole numbers, at a usual or an extreme scale."""
    alphabet = Alphabet("abc"[: rng.randint(1, 3)], unknown=rng.choice(["symbol", "symbol", "drop"]))
    text = "".join(rng.choice(alphabet.symbols) for _ in range(rng.randint(1, 5)))
    if rng.random() < 0.35:
        orders = rng.choice([(2,), (1, 2), (3,), (2, 3)])
        rows = len(_all_rows(alphabet.size, orders))
        votes = numbers.integers(-3, 4, (rows, rng.choice([2, 2, 3]))).astype(float)
        return State((votes,), (0,), text, alphabet, orders=orders)
    layers, whole = rng.choice([1, 1, 2, 3]), rng.random() < 0.3
    narrow = rng.random() < 0.4  # one number per layer: bounds of norms are tight, or nearly
    sizes = [1] * (layers + 1) if narrow else [rng.randint(1, 2), *(rng.randint(1, 3) for _ in range(layers))]
    shapes = [(alphabet.size, sizes[0])]
    shapes += [(rng.randint(1, 3 if layers < 3 else 2), sizes[i + 1], sizes[i]) for i in range(layers)]  # type: ignore
    shapes += [(rng.choice([2, 2, 3]), sizes[-1])]
    draw = (lambda shape: numbers.integers(-2, 3, shape).astype(float)) if whole else (lambda s: numbers.normal(size=s))
    activation = rng.choice(["relu", "relu", "gelu", "tanh", "leaky_relu"])
    exponents = random_exponents(len(shapes), rng) if rng.random() < 0.5 else [0] * len(shapes)
    return State(tuple(map(draw, shapes)), tuple(exponents), text, alphabet, activation, whole=whole)


def random_exponents(parts: int, rng: random.Random) -> list[int]:
    """Return a power of ten for the embedding, each kernel and the head.

    A third has tiny kernels between a large embedding and a large head: scores are usual, products of norms are not.
    """
    if rng.random() < 1 / 3:
        exponents = [rng.choice([60, 120, 150]), *(rng.choice([-110, -150, -170, -200]) for _ in range(parts - 2)), 0]
        mended = parts - 1
    else:
        exponents = [rng.choice(EXPONENTS) for _ in range(parts)]
        mended = rng.randrange(parts)
    if rng.random() < 0.8:  # one part makes up for the others, so that scores stay in range
        others = sum(exponents) - exponents[mended]
        exponents[mended] = max(-320, min(300, rng.choice([0, -20, -150, -290]) - others))
    return exponents


@dataclass
class Climb:
    """One climb for one certifier, threat and k."""

    method: str
    threat: Threat
    k: int
    _seen: dict[str, Seen] | None = None

    def evaluate(self, state: State) -> tuple[float, bool, Truth] | None:
        """Return the value of a state, whether k edits are claimed, and the truth; None where nothing is claimed."""
        try:
            with np.errstate(all="ignore"):
                model = state.model()
                row = levcert.certify(model, [state.text], self.method, threat=self.threat)[0]
        except InputError as error:
            return (12.0, True, Truth(0, -1, None, 0.0, 0)) if "defect" in str(error) else None
        rules = rules_of(self.threat, Reader(model.alphabet.to_dict()))
        if row.claim.startswith("substitutions only"):
            rules = id_substitution_rules(rules)
        self._seen = self._seen or {}
        if state.text not in self._seen:
            self._seen[state.text] = seen_ball(state.text, self.k, rules)
        scorer = Scorer(model)
        found = truth(scorer, state.text, self.k, rules, self._seen[state.text])
        margin = scorer.margin(scorer.reader.ids(state.text), found.label)
        left = max(-1.0, min(1.0, found.worst / margin)) if margin > 0 else 0.0
        if min(row.radius, self.k) > found.radius:
            return 11.0 - left, True, found
        return (10 - left if row.radius >= self.k else row.radius + left), row.radius >= self.k, found

    def run(self, state: State, steps: int, rng: random.Random, numbers: np.random.Generator) -> Iterator[State]:
        """Give the states worth judging: both ends of every bisection, and the last one."""
        now = self.evaluate(state)
        for _ in range(steps):
            other = state.changed(rng, numbers) if now is not None else start(rng, numbers)
            then = self.evaluate(other)
            if then is None:
                continue
            if now is None or then[0] >= now[0]:
                state, now = other, then
            elif now[1] and then[2].radius < self.k and state.text == other.text:
                yield from self._bisected(state, other, 54 if rng.random() < 0.2 and not state.orders else 12)
            if now[0] > 10.5:
                break  # a false certificate
        yield state

    def _bisected(self, claimed: State, lost: State, steps: int) -> Iterator[State]:
        """Halve the way from a state with a claim of k edits to one where k edits are enough: down to the last bit."""
        low, high = 0.0, 1.0
        for _ in range(steps):
            share = (low + high) / 2
            found = self.evaluate(claimed.between(lost, share))
            if found is None:
                return
            if found[0] > 10.5:
                low = share
                break
            low, high = (share, high) if found[1] else (low, share)
        yield claimed.between(lost, low)
        yield claimed.between(lost, high)


def climbed_cases(seed: int, steps: int = 25) -> Iterator[Case]:
    """Give cases without end: from each climb the states at the boundary and the last one."""
    rng, numbers = random.Random(seed), np.random.default_rng(seed)
    while True:
        state = start(rng, numbers)
        method, k = rng.choice(CLIMBED), rng.choice([1, 1, 2, 2, 3])
        if k == 3:
            state = replace(state, text=state.text[:2])
        climb = Climb(method, rng.choice(threats(state.alphabet.symbols, "€")), k)
        # An extreme scale shows at once or not at all: such states are many and their climbs short.  Bounds of one pass
        # are quick to ask and seldom claim anything of a random model: their climbs are long.
        length = 2 if any(state.exponents) else 4 * steps if method in ("lipschitz", "lipslev") else steps
        for found in climb.run(state, length, rng, numbers):
            try:
                model = found.model()
            except InputError:
                continue
            yield Case(model, found.text, climb.threat, k, origin=f"climb of {method}, 10^{found.exponents}")
