"""Heads made to measure: a linear programme lets one text of a ball break a convolution's label, and no other.

The margin of a convolution is linear in its head: margin(p) = w · Φ(p) with the pooled features Φ.  So for random
kernels, a text p, a threat and a target q within k edits, ``scipy.optimize.linprog`` decides whether there is a w with

    w · Φ(q) ≤ −1,    w · Φ(every other text of the ball) ≥ 1,

and if so gives the least one.  It is the twin of milp_votes.py for models whose margins are real numbers: these
go through the search for pairs and for scripts, votes do not.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

import numpy as np
from scipy.optimize import linprog

from levcert import Alphabet, ConvModel, Threat
from tests.trouble.judge import Case
from tests.trouble.oracle import Reader, rules_of, seen_ball
from tests.trouble.threats import threats

FILTERS = 14  # enough features that most targets have a head


def random_body(alphabet: Alphabet, rng: random.Random, numbers: np.random.Generator) -> ConvModel:
    """Return a convolution of one or two layers with small whole weights and a head of zeros."""
    layers = rng.choice([1, 1, 1, 2])
    sizes = [2, *[FILTERS] * layers]
    kernels = [numbers.integers(-2, 3, (2, sizes[i + 1], sizes[i])).astype(float) for i in range(layers)]
    embedding = numbers.integers(-2, 3, (alphabet.size, 2)).astype(float)
    return ConvModel(alphabet, embedding, kernels, np.zeros((2, FILTERS)))


def with_head(body: ConvModel, head: np.ndarray) -> ConvModel:
    """Return the same features under another head."""
    return ConvModel(body.alphabet, body.embedding, body.kernels, head, activation=body.activation.name)


def measured_heads(body: ConvModel, text: str, threat: Threat, k: int, rng: random.Random, most: int) -> Iterator[Case]:
    """Give cases for at most so many random targets at distance k."""
    seen = seen_ball(text, k, rules_of(threat, Reader(body.alphabet.to_dict())))
    ids = list(seen)
    features = body.pooled_features(body.alphabet.encode_many([typed for _, typed in seen.values()]))
    far = [i for i, (distance, _) in enumerate(seen.values()) if distance == k and ids[i]]
    others = np.array([len(sequence) > 0 for sequence in ids])  # no symbols: no features, whatever the head
    for target in rng.sample(far, min(most, len(far))):
        kept = others.copy()
        kept[target] = False
        rows = np.vstack([-features[kept], features[target : target + 1]])  # rows · w ≤ −1; w = u − v with u, v ≥ 0
        found = linprog(np.ones(2 * FILTERS), np.hstack([rows, -rows]), -np.ones(len(rows)))
        if found.status == 0:
            head = found.x[:FILTERS] - found.x[FILTERS:]
            model = with_head(body, np.vstack([head, np.zeros(FILTERS)]))
            yield Case(model, text, threat, k, origin=f"head for {ids[target]}")


def head_cases(seed: int, per_setting: int = 2) -> Iterator[Case]:
    """Give cases without end: random bodies, short texts, all threats, two edits and now and then three."""
    rng, numbers = random.Random(seed), np.random.default_rng(seed)
    while True:
        alphabet = Alphabet(rng.choice(["ab", "abc", "abc"]), unknown=rng.choice(["drop", "symbol"]))
        k = rng.choice([2, 2, 2, 3])
        length = rng.randint(1, 4 if k == 2 else 2)
        text = "".join(rng.choice(alphabet.symbols) for _ in range(length))
        # Half of the threats restrict nothing but the operations: there the two edits meet in most ways.
        every = threats(alphabet.symbols, "€")
        plain = [threat for threat in every if threat.symbols is None and threat.neighbours is None]
        threat = rng.choice(rng.choice([every, plain]))
        yield from measured_heads(random_body(alphabet, rng, numbers), text, threat, k, rng, per_setting)
