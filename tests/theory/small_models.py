"""Small random models and their exact radii by full enumeration, for the theorems."""

import itertools

import numpy as np
from hypothesis import strategies as st

from levcert import Alphabet, Ball, ConvModel
from levcert.text.edits import OPERATIONS
from tests.slow_twins import AnyWindowModel, RangedWindowModel

LETTERS = "abcde"
OPERATION_SETS = [
    frozenset(chosen) for size in (1, 2, 3) for chosen in itertools.combinations(sorted(OPERATIONS), size)
]


def random_conv(seed, symbols, layers, taps, filters, classes, activation):
    rng = np.random.default_rng(seed)
    sizes = [2] + [filters] * layers
    return ConvModel(
        Alphabet(LETTERS[:symbols]),
        rng.normal(size=(symbols, 2)),
        [rng.normal(size=(taps, sizes[i + 1], sizes[i])) for i in range(layers)],
        rng.normal(size=(classes, filters)),
        activation=activation,
    )


CONV_MODELS = st.builds(
    random_conv,
    seed=st.integers(0, 10**6),
    symbols=st.integers(2, 4),
    layers=st.sampled_from([1, 1, 2, 3]),
    taps=st.integers(1, 4),
    filters=st.integers(1, 12),
    classes=st.integers(2, 3),
    activation=st.sampled_from(["relu", "relu", "gelu", "tanh", "leaky_relu"]),
)
ONE_LAYER = CONV_MODELS.filter(lambda model: len(model.kernels) == 1)
BOUNDED_CONV_MODELS = CONV_MODELS.filter(lambda model: model.activation.bounded)
RANGED_MODELS = st.builds(
    RangedWindowModel, st.sampled_from([Alphabet("ab"), Alphabet("abc")]), st.just(("x", "y", "z")),
    st.integers(1, 4), st.integers(0, 10**6),
)  # fmt: skip
ANY_MODELS = st.builds(
    AnyWindowModel, st.sampled_from([Alphabet("ab"), Alphabet("abc", unknown="symbol")]),
    st.just(("x", "y", "z")), st.integers(1, 4), st.integers(0, 10**6),
)  # fmt: skip


def exact_radius(model, text, operations, k, alphabet=None):
    """Full enumeration: the largest r ≤ k such that all texts within r edits have the same label."""
    brought = typeable(model.alphabet) if alphabet is None else alphabet
    [label] = model.predict([text])
    for distance in range(1, k + 1):
        if (model.predict(list(Ball(text, distance, brought, operations))) != label).any():
            return distance - 1
    return k


def typeable(alphabet):
    """One character of each kind that a model can tell apart: its symbols, and one that it drops."""
    symbols = alphabet.decode(range(1, alphabet.size + 1))
    return symbols + "€" if alphabet.drops else symbols


def edits_between(text, changed, operations, alphabet, most):
    """The fewest allowed edits that lead from one text to another."""
    return next(k for k in range(most + 1) if changed in Ball(text, k, alphabet, operations))


def texts_for(model, longest):
    return st.text(st.sampled_from(model.alphabet.symbols), max_size=longest)
