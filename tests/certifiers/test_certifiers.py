import numpy as np
import pytest

import levcert
from levcert import Alphabet, Auto, Chains, ConvModel, InputError, Refine, Threat
from levcert.certifiers import CERTIFIERS, certify_each
from levcert.certifiers.brute_force import BruteForce
from levcert.certifiers.deletion_smoothing_huang_2023 import (
    DeletionSmoothing,
    certified_radius,
    lower_confidence_bound,
)
from levcert.certifiers.exact import Exact
from levcert.text.threat import keyboard_neighbours
from tests.models.test_conv import random_model
from tests.slow_twins import AnyWindowModel, random_votes


def vowels(texts):
    """Anyone's classifier: labels only."""
    return ["vowels" if sum(c in "aeiou" for c in text) * 2 > len(text) else "consonants" for text in texts]


def vowel_scores(texts):
    share = np.array([sum(c in "aeiou" for c in text) - len(text) / 2 for text in texts])
    return np.stack([share, -share], axis=1)


# Page 1 of the design: the check values of RS-Del.


@pytest.mark.parametrize(
    ("votes", "radius"), list(zip([2053, 2452, 2809, 3129, 3414, 3669, 3893], range(7), strict=True))
)
def test_smoothing_check_values(votes, radius):
    for found, expected in ((votes, radius), (votes - 1, radius - 1)):
        mu = lower_confidence_bound(found, 4000, 0.05)
        assert certified_radius(mu, 0.9, Threat()) == expected


def test_smoothing_at_best():
    mu = lower_confidence_bound(4000, 4000, 0.05)
    assert mu == pytest.approx(0.999251, abs=1e-6)
    assert certified_radius(mu, 0.9, Threat()) == 6


def test_smoothing_radii_of_single_operations():
    assert certified_radius(0.9, 0.9, Threat(frozenset({"insert"}))) == 5  # ln(0.5/0.9)/ln(0.9) = 5.58
    assert certified_radius(0.9, 0.9, Threat(frozenset({"delete"}))) == 15  # ln(0.1/0.5)/ln(0.9) = 15.28
    assert certified_radius(0.5, 0.9, Threat()) == -1


@pytest.mark.parametrize(
    ("alpha", "probability"),
    [(0.05, "0.95"), (0.001, "0.999"), (1e-9, "0.999999999"), (1.23e-6, "0.99999877"), (1e-40, "0." + 40 * "9")],
)
def test_the_probability_of_smoothing_is_not_rounded_up(alpha, probability):
    """1 − 10⁻⁹ was once claimed as "probability ≥ 1"."""
    assert DeletionSmoothing(alpha=alpha).claim == f"probability ≥ {probability}"


def test_smoothing_works_with_any_classifier_and_is_repeatable():
    texts = ["aeiou" * 9, "xyz" * 20, "ab" * 30]
    first, second = (levcert.certify(vowels, texts, "smoothing") for _ in range(2))
    assert [(row.label, row.radius) for row in first] == [(row.label, row.radius) for row in second]
    assert list(first.label[:2]) == ["vowels", "consonants"]
    assert min(first.radius[:2]) >= 5
    assert first[0].claim == "probability ≥ 0.95"
    alone = levcert.certify(vowels, texts[2:], "smoothing")[0]
    assert alone.margin == first[2].margin
    assert levcert.certify(vowel_scores, texts, "smoothing").radius[0] == first[0].radius


def test_smoothing_works_with_bytes_and_our_models():
    model = random_model()
    rows = levcert.certify(model, ["abc" * 20], DeletionSmoothing(prediction_samples=50, bound_samples=200))
    assert rows[0].label in model.labels
    always = levcert.certify(lambda texts: ["x"] * len(texts), [b"\x00\xff" * 20], "smoothing")[0]
    assert (always.label, always.radius) == ("x", 6)


@pytest.mark.parametrize("options", [{"deletion": 1.0}, {"alpha": 0.0}, {"bound_samples": 0}])
def test_smoothing_options(options):
    with pytest.raises(InputError):
        DeletionSmoothing(**options)


def test_brute_force_works_with_any_classifier():
    row = levcert.certify(vowels, ["aeb"], BruteForce(alphabet="ab"))[0]
    assert (row.radius, row.upper, row.claim, row.margin) == (0, 1, "exact", None)
    assert vowels([row.counterexample]) != vowels(["aeb"])
    row = levcert.certify(vowels, ["aaaaaa"], BruteForce(alphabet="ab"), max_distance=2)[0]
    assert (row.radius, row.claim) == (2, "proved")
    assert levcert.certify(vowel_scores, ["aaaaaa"], BruteForce(alphabet="ab"))[0].margin == 6


def test_a_function_needs_a_method_for_functions():
    with pytest.raises(InputError, match="use auto, brute-force or smoothing"):
        levcert.certify(vowels, ["abc"], "exact")
    with pytest.raises(InputError, match="not int"):
        levcert.certify(3, ["abc"], "smoothing")
    with pytest.raises(InputError, match="one label or one row"):
        levcert.certify(lambda texts: ["x"], ["abc"], "smoothing")
    with pytest.raises(InputError, match="finite numbers"):
        levcert.certify(lambda texts: np.full((len(texts), 2), np.nan), ["abc"], "brute-force")


def test_a_model_that_knows_no_bounds_is_certified_by_search():
    model = AnyWindowModel(Alphabet("ab"), ("x", "y"), 2)
    texts = ["ab", "abba", "bbbb"]
    assert list(levcert.certify(model, texts).radius) == [
        min(r, 1) for r in levcert.certify(model, texts, "brute-force").radius
    ]
    with pytest.raises(InputError, match="use exact"):
        levcert.certify(model, texts, "lipschitz")
    with pytest.raises(InputError, match="convolutional"):
        levcert.certify(model, texts, "lipslev")
    with pytest.raises(InputError, match="convolutional"):
        levcert.certify(model, texts, "interval")


def test_the_distance_of_interest_cuts_radii_and_spares_work():
    model = ConvModel(Alphabet("ab"), [[1.0], [0.0]], [[[[1.0]]]], [[1.0], [0.0]])
    whole = levcert.certify(model, ["aaaa"])[0]
    cut = levcert.certify(model, ["aaaa"], max_distance=2)[0]
    assert (whole.radius, cut.radius) == (3, 2)
    assert levcert.certify(model, ["aaaa"], max_distance=0)[0].radius == 0


def test_a_spent_budget_leaves_the_one_pass_bound(monkeypatch):
    monkeypatch.setattr("levcert.certifiers.search.effects_in_parts._AT_ONCE", 1)
    model = random_model()
    texts = ["abcabc"]
    spent = levcert.certify(model, texts, Exact(budget=1e-9))[0]
    one_pass = levcert.certify(model, texts, "lipschitz")[0]
    assert spent.radius in (one_pass.radius, 0)
    assert (
        levcert.certify(model, texts, "exact", budget=60).radius[0] == levcert.certify(model, texts, "exact").radius[0]
    )


def test_certificates_come_one_by_one():
    seen = []

    def texts():
        for number in range(1000):
            seen.append(number)
            yield "abc"

    first = next(certify_each(random_model(), texts(), "lipschitz"))
    assert first.text == "abc"
    assert len(seen) < 1000


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"method": "magic"}, "there are auto, lipschitz"),
        ({"max_distance": -1}, "at least 0"),
        ({"budget": 0}, "positive number of seconds"),
        ({"operations": {"swap"}}, "insert, delete (or|and) substitute, not"),
        ({"operations": set()}, "insert, delete (or|and) substitute, not"),
        ({"operations": None}, "insert, delete (or|and) substitute, not"),
        ({"operations": [1, "insert"]}, "insert, delete (or|and) substitute, not"),
        ({"max_distance": 1.5}, "must be an integer of at least 0"),
        ({"budget": "1"}, "positive number of seconds"),
        ({"threat": "insert"}, "must be a Threat"),
        ({"method": Exact}, "an instance such as"),
    ],
)
def test_refusals_say_why(arguments, message):
    with pytest.raises(InputError, match=message):
        levcert.certify(random_model(), ["abc"], **arguments)
    with pytest.raises(InputError, match=r"write \[text\]"):
        levcert.certify(random_model(), "abc")


@pytest.mark.parametrize("name", CERTIFIERS)
def test_contract_every_certifier_says_what_it_needs_and_against_whom(name):
    certifier = CERTIFIERS[name]()
    assert certifier.name == name
    assert certifier.needs
    assert CERTIFIERS[name].__doc__
    model = random_model(activation="tanh") if name == "chains" else random_model()
    if name == "refine":
        model = random_votes(1)
    rows = levcert.certify(model, ["", "a", "abcabc", "A€b"], certifier)
    assert len(rows) == 4
    for row in rows:
        assert row.method == name
        assert row.radius >= -(name == "smoothing")
        assert row.seconds >= 0
        assert (row.threat, row.unit) == (Threat(), "characters")
    assert levcert.certify(model, [], certifier).radius.shape == (0,)


def test_chains_need_bounded_windows():
    with pytest.raises(InputError, match="bounded windows"):
        levcert.certify(random_model(), ["abc"], "chains")


def test_keyboard_neighbours():
    near = keyboard_neighbours()
    assert set("qwsz") <= set(near["a"])
    assert "p" not in near["a"]
    model = random_model(symbols=3)
    threat = Threat(frozenset({"substitute"}), neighbours={"a": "b"})
    allowed = threat.allowed(model.alphabet)
    assert allowed.replace.sum() == 1
    assert allowed.replace[0, 1]
    assert levcert.certify(model, ["cccc"], "exact", threat=threat)[0].radius > 1  # no c may be replaced
    with pytest.raises(InputError, match="neighbours"):
        levcert.certify(model, ["cccc"], "brute-force", threat=threat)
    assert str(Threat()) == "any edit"
    assert str(Threat(frozenset({"insert"}), "ab")) == "insert, bringing in only 'ab'"


@pytest.mark.parametrize("method", [Auto, BruteForce, Chains, Exact, Refine])
def test_limits_have_one_name_and_one_made_by_hand_stays(method):
    assert method().limited(3, 0.5) == method(max_distance=3, budget=0.5)
    assert method(max_distance=1).limited(3, None) == method(max_distance=1)
    assert method().limited(None, None) == method()


OLD_NAMES = [(Auto, "enough"), (BruteForce, "distance"), (Chains, "enough"), (Exact, "enough"), (Exact, "distance"),
             (Refine, "distance")]  # fmt: skip


@pytest.mark.parametrize(("method", "old"), OLD_NAMES)
def test_limits_still_have_the_names_of_version_0_1(method, old):
    with pytest.warns(DeprecationWarning, match=rf"{method.__name__}\({old}=...\) is now .*max_distance"):
        assert method(**{old: 2}) == method(max_distance=2)
