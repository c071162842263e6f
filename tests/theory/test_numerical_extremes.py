"""Certificates hold for scores as computed, also where float64 overflows, underflows or cancels."""

import numpy as np
import pytest

import levcert
from levcert import Alphabet, ConvModel, InputError, Threat, certify
from levcert.text.edits import Operation

IDENTITY = np.eye(2)[None]
TINY = 5e-324


@pytest.mark.parametrize(
    ("embedding", "kernel", "activation"),
    [
        ([[1e200, 1.0], [1e200, -5.0]], [[[1e200, 0], [0, 1.0]]], "tanh"),
        ([[1e305, 1.0], [1.0, -5.0]], IDENTITY, "relu"),
        ([[1e308, 1.0], [1e308, -5.0]], IDENTITY, "relu"),
    ],
)
def test_weights_that_overflow_are_refused(embedding, kernel, activation):
    with pytest.raises(InputError, match="overflow"):
        ConvModel(Alphabet("ab"), embedding, [kernel], [[0, 1.0], [0, -1.0]], activation=activation)


def _holds(model, text, method, operations=frozenset({"insert", "delete", "substitute"}), k=4):
    radius = certify(model, [text], method, operations=operations)[0].radius
    ball = list(levcert.Ball(text, min(radius, k), model.alphabet, operations))
    return (model.predict(ball) == model.predict([text])[0]).all()


@pytest.mark.parametrize("method", ["lipschitz", "exact", "interval"])
def test_underflow_is_allowed_for(method):
    first = ConvModel(
        Alphabet("ab"), [[0.1875, 0.3], [0.075, 0.2625]], [IDENTITY], [[2 * TINY, -3 * TINY], [2 * TINY, -2 * TINY]]
    )
    second = ConvModel(Alphabet("ab"), [[1.75, 1.75], [2, 0.75]], [IDENTITY], [[0, -2 * TINY], [-4 * TINY, 2 * TINY]])
    assert _holds(first, "baabba", method)
    assert _holds(second, "aab", method)


@pytest.mark.parametrize("method", ["lipschitz", "exact"])
def test_the_rounding_of_the_table_is_allowed_for(method):
    B = 2.0**53
    kernels = [np.ones((1, 1, 4)), np.ones((1, 1, 1))]
    model = ConvModel(Alphabet("ab"), [[B, 0.93, 2.43, -B], [B, 0.38, 0.73, -B]], kernels, [[1.0], [0.0]])
    assert _holds(model, "aaaa", method, frozenset({"substitute"}))


def test_mean_pooling_is_judged_by_the_sums():
    head = [[0.9046800706458054], [0.9046800706458055]]
    model = ConvModel(Alphabet("a"), [[1.0]], [[[[1.0]], [[0.3]]]], head, pooling="mean")
    row = certify(model, ["aaaaaa"])[0]
    assert model.predict(["aaaaaa"])[0] == row.label
    assert np.ptp(model.scores(["aaaaaa"])) == 0  # what dividing merges is not what decides


def test_a_str_given_to_a_byte_model_is_certified_as_its_bytes():
    E = np.zeros((256, 2))
    E[97], E[[0xE2, 0x82, 0xAC]] = [1, 0], [0, 1.0]
    model = ConvModel(Alphabet.bytes(), E, [IDENTITY], np.eye(2))
    row = certify(model, ["aaa€"])[0]
    assert row.text == "aaa€".encode()


def test_weights_cannot_be_changed_behind_a_certificate():
    head = np.eye(2)
    model = ConvModel(Alphabet("ab"), np.eye(2), [IDENTITY], head)
    before = certify(model, ["aaaab"], "lipschitz")[0].radius
    head *= 10
    assert certify(model, ["aaaab"], "lipschitz")[0].radius == before
    assert model.scores(["aaaab"])[0, 0] == 4
    with pytest.raises(ValueError, match="read-only"):
        model.head[0, 0] = 3


@pytest.mark.parametrize("method", ["exact", "brute-force"])
def test_substituting_a_dropped_character_inserts_one(method):
    """The € of the text is nothing to the model; substituting it by a known character changes the label."""
    kernel = np.array([[[-1, -1], [1, -1]], [[-2, 1], [0, -1]]], dtype=float)
    model = ConvModel(Alphabet("ac"), np.eye(2), [kernel], [[-1, 2], [-2, -1]])
    row = certify(model, ["a€"], method, operations={"substitute"}, max_distance=1)[0]
    changed = [text for text in ("aa", "ac") if model.predict([text])[0] != row.label]
    assert row.radius == (0 if changed else 1)


@pytest.mark.parametrize("scale", [1e-155, 1e-165, 1e-200, 1e-300])
@pytest.mark.parametrize("layers", [1, 2])
def test_norms_of_tiny_weights_do_not_underflow(scale, layers):
    """Squares of weights below 1e-162 are 0 in float64: radius 12 was proved where 1 is true."""
    rng = np.random.default_rng(0)
    sizes = [2, 3, 2]
    kernels = [rng.normal(size=(2, sizes[i + 1], sizes[i])) for i in range(layers)]
    embedding, head = rng.normal(size=(2, 2)), rng.normal(size=(2, sizes[layers]))
    plain = ConvModel(Alphabet("ab"), embedding, kernels, head)
    tiny = ConvModel(Alphabet("ab"), embedding * scale, kernels, head)
    for method in ("lipschitz", "lipslev"):
        texts = ["abababab", "aabbaabbabab", "b" * 12]
        assert list(certify(tiny, texts, method).radius) == list(certify(plain, texts, method).radius)
    for first, second in ((1e-200, 1e200), (1e200, 1e-200)):  # no product on the way may underflow either
        mixed = ConvModel(Alphabet("ab"), embedding * first, [kernels[0] * second, *kernels[1:]], head)
        assert list(certify(mixed, texts, "lipschitz").radius) == list(certify(plain, texts, "lipschitz").radius)


@pytest.mark.parametrize("method", ["exact", "brute-force"])
def test_an_attacker_without_symbols_brings_nothing_in(method):
    model = ConvModel(Alphabet("ac"), np.eye(2), [IDENTITY], np.eye(2))
    row = certify(model, ["a"], method, threat=Threat(frozenset({"insert"}), symbols=""), max_distance=1)[0]
    assert row.radius == 1


@pytest.mark.parametrize("name", ["charmer", "greedy", "beam", "random"])
def test_attacks_and_certificates_agree_on_restricted_threats(name):
    model = ConvModel(Alphabet("abc"), [[1.0, 0], [0.5, 0.1], [0, 3.0]], [IDENTITY], np.eye(2))
    for neighbours in ({"a": "b", "b": "c"}, {}):
        for operations in ({"substitute"}, {"delete", "insert", "substitute"}):
            threat = Threat(frozenset(operations), neighbours=neighbours)
            radius = certify(model, ["aa"], threat=threat)[0].radius
            found = levcert.attack(model, ["aa"], name, threat=threat, max_distance=3)[0]
            assert not found.success or found.distance > radius
            assert all(e.operation != Operation.SUBSTITUTE or e.symbol in neighbours.get("a", "") for e in found.edits)
