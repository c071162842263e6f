"""Random models, texts and threats: is the radius of the search that of enumeration?

python -m tests.theory.radius_fuzz 100000 [SEED]
"""

import sys
from collections import Counter

import numpy as np

from levcert import Alphabet, Threat, VoteModel
from levcert.certifiers.base import Batch
from levcert.certifiers.search.refine import Refine
from tests.theory.radius_oracle import ball, delete_mask, radius_up_to

LETTERS = "abcd"
OPERATIONS = [{"insert", "delete", "substitute"}] * 3 + [
    {"insert"}, {"delete"}, {"substitute"}, {"insert", "delete"}, {"insert", "substitute"}, {"delete", "substitute"},
]  # fmt: skip
LONGEST = {1: (14, 14), 2: (9, 7), 3: (7, 5), 4: (6, 3)}  # symbols of a text for k edits: alphabets of 1–2, and of 3–4
MODELS_FOR_EACH_TEXT = 12


def random_threat(rng, letters):
    """Some operations, sometimes with few symbols or neighbours only."""
    symbols = "".join(rng.choice(list(letters), rng.integers(1, len(letters) + 1))) if rng.random() < 0.25 else None
    neighbours = None
    if rng.random() < 0.25:
        neighbours = {c: "".join(rng.choice(list(letters), rng.integers(0, len(letters) + 1))) for c in letters}
    return Threat(OPERATIONS[rng.integers(len(OPERATIONS))], symbols, neighbours)


def random_votes_of_any_kind(rng, alphabet):
    """Votes dense or sparse, small or extreme, with or without a favourite class; in 2^12 rows, so many collide."""
    orders = sorted(rng.choice(np.arange(1, 7 if alphabet.size < 4 else 6), rng.integers(1, 4), replace=False).tolist())
    classes, largest = int(rng.integers(2, 5)), int(rng.choice([1, 2, 5, 30, 127]))
    shape = (len(orders), 2**12, classes)
    kind = rng.integers(3)
    if kind == 0:
        votes = rng.integers(-largest, largest + 1, shape)
    elif kind == 1:
        votes = rng.choice([-127, 127], shape)
    else:
        votes = np.rint(rng.normal(size=shape) * largest / 6)
    votes = votes * (rng.random((*shape[:2], 1)) < rng.choice([1.0, 0.5, 0.2, 0.05]))
    if rng.random() < 0.6:
        votes[:, :, rng.integers(classes)] += rng.integers(0, 60)
    return VoteModel(alphabet, np.clip(votes, -127, 127).astype(np.int8), orders)


def check(seed, count):
    """Compare at least ``count`` verdicts; return how often each (k, radius) came up, and how the search decided."""
    rng = np.random.default_rng(seed)
    seen = Counter()
    while seen["verdicts"] < count:
        letters = LETTERS[: rng.integers(1, 5)]
        k = int(rng.integers(1, 5 if len(letters) < 4 else 4))
        alphabet, threat = Alphabet(letters), random_threat(rng, letters)
        text = tuple(rng.integers(1, len(letters) + 1, rng.integers(LONGEST[k][len(letters) > 2] + 1)).tolist())
        allowed = threat.allowed(alphabet)
        within = ball(text, k, allowed.insert, allowed.replace, delete_mask(allowed))
        typed = alphabet.decode(text) if text else ""
        for _ in range(MODELS_FOR_EACH_TEXT):
            model = random_votes_of_any_kind(rng, alphabet)
            truth = radius_up_to(model, text, k, within)
            search = Refine(max_distance=k, expansions=None).search(Batch(model, [typed], threat), 0)
            found = search.run()
            case = (seed, seen["verdicts"], letters, text, threat, model.orders, k)
            assert found.radius == truth, (case, found, truth)
            if 0 <= truth < k:
                assert found.upper == truth + 1, (case, found)
                assert within[tuple(alphabet.encode(found.counterexample).tolist())] == truth + 1, (case, found)
            seen["verdicts"] += 1
            seen[f"k={k}, radius {truth}"] += 1
            seen["with refined edges"] += any(part.refinements for part in search.classes)
            seen["with whole clusters"] += any(part.whole_clusters for part in search.classes)
    return seen


if __name__ == "__main__":
    for what, times in sorted(check(int((sys.argv[2:] or ["1"])[0]), int(sys.argv[1])).items()):
        print(f"{times:8} {what}")
