"""Networks built to break a bound that forgets what an insertion shifts: taps of alternating sign, texts in step.

The published constant fails here (docs/soundness.md): one filter with taps +, −, +, − … sees a text of alternating
symbols as strongly as it can, and one insertion or deletion puts every window across it out of step.  A second filter
counts symbols; its weight moves the margin until the worst text within k edits just loses the label.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

import numpy as np

from levcert import Alphabet, ConvModel, Threat
from tests.trouble.judge import Case
from tests.trouble.oracle import Reader, rules_of, seen_ball

COUNTED = [frozenset({"insert"}), frozenset({"delete"}), frozenset({"delete", "insert", "substitute"})]


def network_in_step(taps: int, rng: np.random.Generator, head: np.ndarray) -> ConvModel:
    """Return filters "in step" and "count" over an embedding (sign, 1), with a little noise in the taps."""
    signs = (-1.0) ** np.arange(taps) * rng.uniform(0.8, 1.0, taps)
    kernel = np.zeros((taps, 2, 2))
    kernel[:, 0, 0] = signs
    kernel[0, 1, 1] = 1.0
    embedding = np.array([[1.0, 1.0], [-1.0, 1.0]])
    return ConvModel(Alphabet("ab"), embedding, [kernel], head)


def alternating_cases(seed: int) -> Iterator[Case]:
    """Give cases without end: wide kernels, one edit; the weight of "count" puts the worst text at the boundary."""
    rng, numbers = random.Random(seed), np.random.default_rng(seed)
    while True:
        taps = rng.choice([4, 6, 8, 10])
        text = "ab" * taps + rng.choice(["", "a"])
        threat = Threat(rng.choice(COUNTED))
        state = numbers.bit_generator.state
        body = network_in_step(taps, numbers, np.zeros((2, 2)))
        seen = seen_ball(text, 1, rules_of(threat, Reader(body.alphabet.to_dict())))
        in_step, count = body.pooled_features(body.alphabet.encode_many([typed for _, typed in seen.values()])).T
        weight = (in_step / count).min() * rng.choice([1.0, 1.0 + 1e-9, 1.001, 0.999])
        numbers.bit_generator.state = state  # the same taps again, under the head
        model = network_in_step(taps, numbers, np.array([[1.0, -weight], [0.0, 0.0]]))
        yield Case(model, text, threat, 1, origin=f"{taps} taps in step")
