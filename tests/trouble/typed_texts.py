"""Random small models and texts as people type them: capitals, characters that the model drops or maps, bytes."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from typing import Any

import numpy as np

from levcert import Alphabet, ConvModel, Threat, VoteModel
from tests.trouble.judge import Case
from tests.trouble.milp_votes import ROWS
from tests.trouble.threats import OPERATION_SETS, threats

LETTERS = {  # what texts are made of
    # known, capital, unknown, accented, "İ" (lower-case, it is two characters: left alone), look-alike, invisible
    "characters": "aabbcAB€é İ\u0430\u200b",
    "bytes": b"aab\xff",
}


def alphabets() -> list[Alphabet]:
    """Return alphabets that drop or map what they do not know, with and without folding, and all bytes."""
    small = [
        Alphabet(symbols, fold=fold, unknown=unknown)
        for symbols, fold, unknown in itertools.product(
            ("ab", "a", "bca"), ("case", "none", "lookalikes"), ("drop", "symbol")
        )
    ]
    return [*small, Alphabet("aAb", fold="none"), Alphabet.bytes()]


def random_model(alphabet: Alphabet, rng: random.Random, numbers: np.random.Generator) -> Any:
    """Return votes or a convolution; small whole numbers make ties, others make narrow margins."""
    classes, size = rng.choice([2, 2, 3]), alphabet.size
    if rng.random() < 0.5:
        orders = rng.choice([(1,), (2,), (1, 2), (3,), (2, 3)])
        largest = rng.choice([1, 3, 127])
        votes = numbers.integers(-largest, largest + 1, (len(orders), ROWS, classes)).astype(np.int8)
        return VoteModel(alphabet, votes, orders)
    layers = rng.choice([1, 1, 2, 3])
    sizes = [rng.randint(1, 2), *(rng.randint(1, 3) for _ in range(layers))]
    shapes: list[tuple[int, ...]] = [(size, sizes[0])]
    shapes += [(rng.randint(1, 3 if layers == 1 else 2), sizes[i + 1], sizes[i]) for i in range(layers)]
    shapes += [(classes, sizes[-1])]
    whole = rng.random() < 0.4
    parts = [numbers.integers(-1, 2, s).astype(float) if whole else numbers.normal(size=s) for s in shapes]
    activation = rng.choice(["relu", "gelu", "tanh", "leaky_relu"])
    return ConvModel(
        alphabet, parts[0], parts[1:-1], parts[-1], activation=activation, pooling=rng.choice(["sum", "mean"])
    )


def random_threat(alphabet: Alphabet, rng: random.Random) -> Threat:
    """Return a threat of any kind; what it brings in may be capital, unknown or not in the alphabet at all."""
    if alphabet.kind == "bytes":
        return rng.choice(threats(b"a\xffb"))
    if rng.random() < 0.5:
        return rng.choice(threats(alphabet.symbols, "€"))
    operations = rng.choice(OPERATION_SETS)
    typed = "".join(dict.fromkeys(rng.choice("abcABé€İ") for _ in range(rng.choice([0, 1, 1, 2, 3]))))
    limits: dict[str, Any] = {"symbols": typed} if rng.random() < 0.6 else {}
    if rng.random() < 0.5:
        limits["neighbours"] = {
            rng.choice("abAB€"): "".join(rng.choice("abA€") for _ in range(rng.randint(1, 2))) for _ in range(3)
        }
    return Threat(operations, **limits)


def typed_cases(seed: int) -> Iterator[Case]:
    """Give cases without end."""
    rng, numbers = random.Random(seed), np.random.default_rng(seed)
    choices = alphabets()
    while True:
        alphabet = rng.choice(choices)
        k = rng.choice([1, 1, 2, 2, 3])
        letters = LETTERS[alphabet.kind]
        length = rng.randint(0, {1: 5, 2: 4, 3: 2}[k])
        places = [rng.randrange(len(letters)) for _ in range(length)]
        text = letters[:0].join(letters[i : i + 1] for i in places)
        model = random_model(alphabet, rng, numbers)
        yield Case(model, text, random_threat(alphabet, rng), k, attacks=rng.random() < 0.4, origin="typed")
