"""Models, rows and balls by the obvious way, for the tests of the audit."""

import json

import numpy as np
from hypothesis import strategies as st

from levcert import Alphabet, ConvModel, VoteModel
from levcert.certificates.audit import (
    audit,
)

ANY = {"operations": ["delete", "insert", "substitute"], "symbols": None, "neighbours": None}
SUBSTITUTE = ANY | {"operations": ["substitute"]}
ALPHABETS = {
    "drop": Alphabet("abc"),
    "symbol": Alphabet("ab", unknown="symbol"),
    "cased": Alphabet("aAb", fold="none"),
    "bytes": Alphabet.bytes(),
}
UNKNOWN = "€"
ACTIVATIONS = ("relu", "leaky_relu", "tanh", "gelu")


def votes(alphabet, seed, orders=(1, 3), classes=2, largest=127, share=1.0):
    rng = np.random.default_rng(seed)
    shape = (len(orders), 2**12, classes)
    table = rng.integers(-largest, largest + 1, shape) * (rng.random((*shape[:2], 1)) < share)
    return VoteModel(alphabet, table.astype(np.int8), orders, labels=[f"label {y}" for y in range(classes)])


def convolution(alphabet, seed, taps=(2,), classes=2, activation="relu", pooling="sum"):
    rng = np.random.default_rng(seed)
    sizes = [2, *(3 for _ in taps)]
    kernels = [rng.normal(size=(q, after, before)) for q, before, after in zip(taps, sizes, sizes[1:], strict=False)]
    weights = rng.normal(size=(alphabet.size, 2)), kernels, rng.normal(size=(classes, sizes[-1]))
    return ConvModel(alphabet, *weights, activation=activation, pooling=pooling)


def typed(alphabet):
    """Texts with capitals, unknown characters and, for byte models, any bytes."""
    if alphabet.kind == "bytes":
        return st.binary(max_size=6)
    return st.text(st.sampled_from("abcABC" + UNKNOWN), max_size=6)


@st.composite
def models(draw, kinds=tuple(ALPHABETS)):
    alphabet = ALPHABETS[draw(st.sampled_from(kinds))]
    seed, classes = draw(st.integers(0, 10**6)), draw(st.integers(2, 3))
    if draw(st.booleans()):
        orders = tuple(sorted(draw(st.sets(st.integers(1, 4), min_size=1, max_size=2))))
        return votes(
            alphabet, seed, orders, classes, draw(st.sampled_from([1, 2, 127])), draw(st.sampled_from([1, 0.1]))
        )
    taps = draw(st.lists(st.integers(1, 3), min_size=1, max_size=3))
    pooling = draw(st.sampled_from(["sum", "mean"]))
    return convolution(alphabet, seed, taps, classes, draw(st.sampled_from(ACTIVATIONS)), pooling)


def row(text, label, radius, claim="proved", counterexample=None, upper=None, threat=ANY, **other):
    """A certificate as the columns of its file."""
    unit = "bytes" if isinstance(text, bytes) else "characters"
    fields = {"text": text, "label": label, "radius": radius, "margin": 1.0, "method": "test", "claim": claim}
    if threat is not None:
        fields |= {"threat": json.dumps(threat), "unit": unit}
    return fields | {"upper": upper, "counterexample": counterexample, "seconds": 0.1} | other


def check(path, *rows, **options):
    report = audit(path, rows, **options)
    return report.findings[0] if len(rows) == 1 else report


def obvious_ball(text, k, alphabet, threat):
    """Every text within k allowed edits, typed with a rich set of characters; texts and threats are small."""
    pool = [bytes([b]) for b in b"ab\x00\xff"] if isinstance(text, bytes) else list("abcABCé" + UNKNOWN)
    symbols, neighbours, operations = threat["symbols"], threat["neighbours"], threat["operations"]
    if symbols is not None:
        pool = [c for c in pool if c in symbols]

    def near(old, new):
        if neighbours is None:
            return True
        return any(new in neighbours.get(key, "") for key in {old, alphabet.fold(old)})

    found = {text[:0]: 0}  # text made of the characters so far → least edits
    for t in range(len(text) + 1):
        for _ in range(k if "insert" in operations else 0):
            for made, cost in list(found.items()):
                for new in pool:
                    if cost < k:
                        found[made + new] = min(found.get(made + new, k), cost + 1)
        if t < len(text):
            old, after = text[t : t + 1], {}
            for made, cost in found.items():
                options = [(old, 0)]
                options += [(old[:0], 1)] if "delete" in operations else []
                options += [(new, 1) for new in pool if "substitute" in operations and new != old and near(old, new)]
                for new, price in options:
                    if cost + price <= k:
                        after[made + new] = min(after.get(made + new, k), cost + price)
            found = after
    return found


THREATS = st.fixed_dictionaries(
    {
        "operations": st.sets(st.sampled_from(ANY["operations"]), min_size=1).map(sorted),
        "symbols": st.none() | st.sampled_from(["a", "aB", "b" + UNKNOWN, UNKNOWN]),
        "neighbours": st.none() | st.just({"a": "b" + UNKNOWN, "B": "c", "c": "aB"}),
    }
)


def truth(model, text, threat, k):
    """The label by ``predict``, and the nearest text with another one, by enumeration."""
    label = str(model.predict([text])[0])
    ball = sorted(obvious_ball(text, k, model.alphabet, threat).items(), key=lambda item: item[1])
    after = model.predict([other for other, _ in ball])
    lost = [(distance, other) for (other, distance), now in zip(ball, after, strict=True) if now != label]
    return label, lost[0] if lost else None
