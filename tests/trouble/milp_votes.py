"""Votes made to measure: an integer programme lets one text of a ball break the label, and no other.

For bounded votes the margin of a text is linear in the votes of the rows that its n-grams hit.  So for any text p,
threat and target q within k edits, ``scipy.optimize.milp`` decides whether there are votes with

    margin(q) lost,    margin(every other text of the ball) ≥ 1,

and if so gives them.  Every certifier must then answer a radius below the distance of q: it has to see the one script,
of one kind, that leads to q.  Going through all q, threats and orders goes through all kinds of scripts, in all places.

With ``ties`` the other texts may be as low as the tie that keeps the label, and q as high as the tie that loses it.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import csr_array

from levcert import Alphabet, Threat, VoteModel
from tests.trouble.judge import Case
from tests.trouble.oracle import Reader, rows_hit, rules_of, seen_ball
from tests.trouble.threats import threats

ROWS = 1 << 12
Ids = tuple[int, ...]


@dataclass(frozen=True)
class Setting:
    """A text and what may happen to it; ``limit`` bounds the votes, the label has the number ``label`` of two."""

    alphabet: Alphabet
    text: Any
    threat: Threat
    orders: tuple[int, ...]
    k: int
    limit: int = 3
    label: int = 0
    ties: bool = False

    def sequences(self) -> dict[Ids, int]:
        """Return what the model can see of the ball, each with its distance."""
        reader = Reader(self.alphabet.to_dict())
        seen = seen_ball(self.text, self.k, rules_of(self.threat, reader))
        return {ids: distance for ids, (distance, _) in seen.items()}


class Programme:
    """The constraints of a setting, built once for all targets."""

    def __init__(self, setting: Setting) -> None:
        self.setting, self.distances = setting, setting.sequences()
        self.ids = list(self.distances)
        hits = [Counter(rows_hit(ids, setting.orders, ROWS)) for ids in self.ids]
        self.rows = sorted(set().union(*hits))
        number = {row: column for column, row in enumerate(self.rows)}
        entries = [(count, i, number[row]) for i, hit in enumerate(hits) for row, count in hit.items()]
        values, at, columns = zip(*entries, strict=True) if entries else ((), (), ())
        self.counts = csr_array((values, (at, columns)), shape=(len(self.ids), len(self.rows)), dtype=float)

    def model(self, target: int, seconds: float = 1.0, objective: np.ndarray | None = None) -> VoteModel | None:
        """Return votes that only text number ``target`` breaks; None if there are none (or not found in time)."""
        setting = self.setting
        kept = 0 if setting.ties and setting.label == 0 else 1
        lost = 0 if setting.ties and setting.label == 1 else -1
        low = np.full(len(self.ids), float(kept))
        high = np.full(len(self.ids), np.inf)
        low[target], high[target] = -np.inf, float(lost)
        low[[i for i, ids in enumerate(self.ids) if not ids]] = 0.0  # nothing scores 0, whatever the votes
        costs = np.zeros(len(self.rows)) if objective is None else objective
        solved = milp(
            costs,
            constraints=LinearConstraint(self.counts, low, high),
            bounds=Bounds(-setting.limit, setting.limit),
            integrality=np.ones(len(self.rows)),
            options={"time_limit": seconds, "mip_rel_gap": 0.5},
        )
        if solved.x is None:
            return None
        votes = np.zeros((len(setting.orders), ROWS, 2), dtype=np.int8)
        for (order, row), value in zip(self.rows, np.rint(solved.x).astype(int), strict=True):
            votes[order, row, setting.label] = value
        return VoteModel(setting.alphabet, votes, setting.orders)

    def targets(self) -> list[int]:
        """Return the texts that could break the label: all but the text itself and the empty one, which always ties."""
        return [i for i, ids in enumerate(self.ids) if self.distances[ids] >= 1 and ids]

    def cases(self, targets: list[int], rng: random.Random) -> Iterator[Case]:
        """Give a case for each target that has votes; half of them with the largest margin of the text itself."""
        setting = self.setting
        for target in targets:
            bold = -np.asarray(self.counts[[0]].todense())[0] if rng.random() < 0.5 else None
            model = self.model(target, objective=bold)
            if model is not None:
                yield Case(model, setting.text, setting.threat, setting.k, origin=f"votes for {self.ids[target]}")


def grid(*, dropping: bool = True) -> list[Setting]:
    """Return all settings of the systematic search: small texts, 2 or 3 symbols, every threat, several orders."""
    settings = []
    for symbols, unknown in (("ab", "symbol"), ("abc", "symbol"), ("ab", "drop"), ("abc", "drop")):
        alphabet = Alphabet(symbols[:-1] if unknown == "symbol" else symbols, unknown=unknown)
        if unknown == "drop" and not dropping:
            continue
        texts = {1: ["ab", "aab", "abab", "bbab"], 2: ["a", "ab", "aba", "abba"], 3: ["a", "ab", "ba"]}
        for threat in threats(symbols[: len(alphabet.symbols)], "€"):
            for k, chosen in texts.items():
                for text in chosen if k < 3 or len(symbols) == 2 else chosen[:1]:
                    for orders in ((2,), (1, 2), (3,), (2, 3)):
                        for label, ties in ((0, False), (1, False), (0, True), (1, True)):
                            limit = 3 if len(orders) == 1 else 8
                            settings.append(Setting(alphabet, text, threat, orders, k, limit, label, ties))
    return settings


def milp_cases(seed: int, per_setting: int = 2) -> Iterator[Case]:
    """Give cases without end: settings of the grid in random order, a few targets of each, far ones more often."""
    rng = random.Random(seed)
    settings = grid()
    while True:
        rng.shuffle(settings)
        for setting in settings:
            programme = Programme(setting)
            targets = programme.targets()
            farthest = [i for i in targets if programme.distances[programme.ids[i]] == setting.k]
            pool = farthest if farthest and rng.random() < 0.8 else targets
            yield from programme.cases(rng.sample(pool, min(per_setting, len(pool))), rng)


def corners() -> list[Setting]:
    """Return settings small enough to go through completely: every set of operations, unrestricted or not."""
    seen, dropping = Alphabet("a", unknown="symbol"), Alphabet("ab")  # two symbols each; the first drops nothing
    chosen = [Setting(seen, "ab", threat, (2,), 2) for threat in threats("ab")]
    chosen += [Setting(dropping, "aba", threat, (2,), 2, label=1) for threat in threats("ab", "€")[::2]]
    three = Alphabet("abc")
    ring = {"a": "b", "b": "c", "c": "a"}
    chosen += [
        Setting(three, "aba", Threat(frozenset({"insert", "delete"})), (2,), 2),
        Setting(three, "aba", Threat(neighbours=ring), (2,), 2, label=1),
        Setting(dropping, "ab", Threat(), (2,), 3, limit=8, ties=True),
        Setting(dropping, "ba", Threat(frozenset({"substitute", "delete"})), (1, 2), 3, label=1, ties=True),
    ]
    return chosen


def corner_cases(_: int = 0) -> Iterator[Case]:
    """Give every case of every corner."""
    for setting in corners():
        yield from every_target(setting)


def every_target(setting: Setting) -> Iterator[Case]:
    """Give a case for every text at distance k for which there are votes: one setting, completely."""
    programme = Programme(setting)
    farthest = [i for i in programme.targets() if programme.distances[programme.ids[i]] == setting.k]
    yield from programme.cases(farthest, random.Random(0))
