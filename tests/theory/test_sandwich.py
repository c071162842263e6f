"""certified ≤ exact < attacked, for every certifier and every attack, on small random models."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import levcert
from levcert import Alphabet, Ball, ConvModel, Threat, VoteModel, levenshtein
from levcert.attacks import ATTACKS
from levcert.certifiers.base import Batch
from levcert.certifiers.exact import Exact
from levcert.certifiers.interval_huang_2019 import Interval
from levcert.certifiers.lipschitz import edit_costs, window_ranges
from levcert.certifiers.lipslev import LipsLev
from levcert.certifiers.search.edit_chains import Chains
from levcert.certifiers.search.edit_pairs import PairSearch
from levcert.text.edits import OPERATIONS
from tests.models.test_votes import slow_row
from tests.slow_twins import VOTE_MODELS
from tests.theory.small_models import (
    ANY_MODELS,
    CONV_MODELS,
    ONE_LAYER,
    OPERATION_SETS,
    edits_between,
    exact_radius,
    random_conv,
    texts_for,
    typeable,
)


@given(st.data(), st.sampled_from(OPERATION_SETS), st.integers(1, 3))
@settings(max_examples=150)
def test_certified_at_most_exact_at_most_attacked(data, operations, k):
    model = data.draw(CONV_MODELS | VOTE_MODELS)
    text = data.draw(texts_for(model, 5 if k == 3 else 7 if k == 2 else 12))
    truth = exact_radius(model, text, operations, k)
    methods = ["lipschitz", "exact", "auto"]
    if isinstance(model, ConvModel):
        methods += [Interval(elide=True), Interval(elide=False), LipsLev(p=1), LipsLev(local=False)]
    if window_ranges(model) is not None:
        methods += ["chains", Chains(symbols=False)]
    for method in methods:
        row = levcert.certify(model, [text], method, operations=operations)[0]
        if row.claim != "substitutions only":
            assert min(row.radius, k) <= truth, method
            if row.upper is not None and row.upper <= k:
                assert row.upper > truth
            if row.claim == "exact" and row.radius < k:
                assert row.radius == truth
        if row.counterexample is not None:
            assert model.predict([row.counterexample])[0] != row.label
            written = (
                typeable(model.alphabet) + model.alphabet.dropped_character if model.alphabet.drops else model.alphabet
            )
            assert edits_between(text, row.counterexample, operations, written, row.upper) == row.upper
    for method in ATTACKS:
        found = levcert.attack(model, [text], method, max_distance=k, operations=operations)[0]
        if found.success:
            assert truth < found.distance <= k
            assert model.predict([found.adversarial])[0] == found.new_label != found.label


@given(st.data(), st.sampled_from(OPERATION_SETS))
@settings(max_examples=60)
def test_exact_at_distance_one_is_brute_force(data, operations):
    model = data.draw(CONV_MODELS | ANY_MODELS | VOTE_MODELS)
    texts = data.draw(st.lists(texts_for(model, 8), min_size=1, max_size=3))
    exact = levcert.certify(model, texts, "exact", operations=operations, max_distance=1)
    brute = levcert.certify(model, texts, "brute-force", operations=operations, max_distance=1)
    assert list(exact.radius) == list(brute.radius)
    assert [row.upper is None for row in exact] == [row.upper is None for row in brute]


@given(st.data(), st.sampled_from(OPERATION_SETS), st.booleans())
@settings(max_examples=250)
def test_exact_at_distance_two_is_full_enumeration(data, operations, restricted):
    """Shorter than the window, repeated characters, both ends, edits that are harmless alone: all of it."""
    model = data.draw(ONE_LAYER | VOTE_MODELS)
    text = data.draw(texts_for(model, 7))
    symbols = (
        data.draw(st.text(st.sampled_from(model.alphabet.symbols), min_size=1, max_size=2)) if restricted else None
    )
    truth = exact_radius(model, text, operations, 2, symbols)
    # Ties of convolutions are left to the search for scripts.
    exact = Exact(max_distance=2, evaluations=None, nodes=None)
    row = levcert.certify(model, [text], exact, threat=Threat(operations, symbols))[0]
    assert min(row.radius, 2) == truth
    if 0 <= truth < 2:
        assert row.claim == "exact"
        assert row.upper == truth + 1


@given(st.data(), st.sampled_from(OPERATION_SETS), st.integers(2, 4))
@settings(max_examples=60)
def test_exact_at_any_distance_and_for_any_window_model_is_full_enumeration(data, operations, k):
    model = data.draw(CONV_MODELS | ANY_MODELS | VOTE_MODELS)
    if model.alphabet.size > 2:
        k = min(k, 3)
    text = data.draw(texts_for(model, 6 - k))
    truth = exact_radius(model, text, operations, k)
    row = levcert.certify(model, [text], Exact(nodes=None, evaluations=None), operations=operations, max_distance=k)[0]
    assert row.radius == truth
    if truth < k:
        assert (row.claim, row.upper) == ("exact", truth + 1)


def test_two_edits_that_are_harmless_alone():
    """One filter counts the letter a, the other fires on bb: a single b next to an a does nothing to it."""
    kernel = np.array([[[-0.5], [1.3]], [[0.0], [1.3]]])
    model = ConvModel(Alphabet("ab"), [[-1.0], [1.0]], [kernel], np.eye(2))
    text = "aaaaaa"
    row = levcert.certify(model, [text], "exact")[0]
    assert (row.radius, row.upper, row.claim) == (1, 2, "exact")
    inside = {"substitute"}  # two neighbours in the middle, each of which alone leaves the second filter silent
    assert model.scores(["aabaaa"])[0, 1] == 0
    assert model.predict(["aabbaa"])[0] != model.predict([text])[0]
    assert levcert.certify(model, [text], "exact", operations=inside)[0].radius == 1


@given(st.data(), st.sampled_from(OPERATION_SETS), st.floats(-1, 1))
@settings(max_examples=60)
def test_what_any_two_edits_leave_of_a_margin(data, operations, share):
    """Two edits leave more than a floor exactly if every text that two edits reach does."""
    model = data.draw(ONE_LAYER)
    text = data.draw(texts_for(model, 5))
    batch = Batch(model, [text], Threat(operations))
    y, others = int(batch.best[0]), np.arange(model.classes) != batch.best[0]
    seen = [
        {tuple(model.alphabet.encode(near)) for near in Ball(text, k, typeable(model.alphabet), operations)}
        for k in (1, 2)
    ]

    def left(texts):
        scores = model.scores([model.alphabet.decode(ids) for ids in sorted(texts)])
        return (scores[:, [y]] - scores)[:, others].min(axis=0, initial=np.inf)

    search = PairSearch(batch, 0)

    floor = share * edit_costs(batch)[0]
    if search.leave(floor):
        at_two = seen[1] - seen[0]
        assert (left(at_two) > floor[others]).all()
        assert (search.worst[others] <= left(at_two) + search.tolerance).all()
    else:
        assert (left(seen[1]) <= floor[others] + 2 * search.tolerance).any()


@given(st.data())
@settings(max_examples=25)
def test_what_the_pair_search_proves_beyond_two_edits_is_true(data):
    model = data.draw(ONE_LAYER)
    text = data.draw(texts_for(model, 5))
    row = levcert.certify(model, [text], "exact")[0]
    assert min(row.radius, 3) <= exact_radius(model, text, OPERATIONS, 3)


def test_sharper_pairs_prove_more_edits(monkeypatch):
    model, text = random_conv(0, 3, 1, 3, 8, 2, "relu"), "cbbaaaaaacbcbb"
    sharper = levcert.certify(model, [text], "exact")[0].radius
    monkeypatch.setattr(PairSearch, "leave", lambda self, taken: False)
    assert sharper > levcert.certify(model, [text], "exact")[0].radius


@pytest.mark.parametrize("budget", [Exact(evaluations=0), Exact(budget=1e-9), Exact(evaluations=3)])
def test_a_search_cut_short_proves_less_but_nothing_false(budget):
    for seed in range(20):
        model = random_conv(seed, 3, 1, 3, 4, 2, "relu")
        for text in ("abcabca", "cab"):
            short, whole = (levcert.certify(model, [text], method)[0] for method in (budget, "exact"))
            assert short.radius <= whole.radius


@given(st.data())
@settings(max_examples=40)
def test_restricting_the_threat_never_lowers_a_radius(data):
    model = data.draw(CONV_MODELS | VOTE_MODELS)
    text = data.draw(texts_for(model, 8))
    symbols = data.draw(st.text(st.sampled_from(model.alphabet.symbols), min_size=1, max_size=2))
    for method in ("lipschitz", "exact", "chains") if isinstance(model, VoteModel) else ("lipschitz", "exact"):
        whole = levcert.certify(model, [text], method)[0].radius
        for operations in OPERATION_SETS:
            some = levcert.certify(model, [text], method, threat=Threat(operations))[0].radius
            less = levcert.certify(model, [text], method, threat=Threat(operations, symbols))[0].radius
            assert whole <= some <= less


@given(st.data())
@settings(max_examples=30)
def test_restricted_symbols_are_brute_force_too(data):
    model = data.draw(CONV_MODELS | VOTE_MODELS)
    text = data.draw(texts_for(model, 6))
    symbols = data.draw(st.text(st.sampled_from(model.alphabet.symbols), min_size=1, max_size=2))
    operations = data.draw(st.sampled_from(OPERATION_SETS))
    threat = Threat(operations, symbols)
    exact = levcert.certify(model, [text], "exact", threat=threat, max_distance=1)[0]
    brute = levcert.certify(model, [text], "brute-force", threat=threat, max_distance=1)[0]
    assert exact.radius == brute.radius


@given(st.data(), st.sampled_from([1e-12, 1e12, 1e-150, 1e100]))
@settings(max_examples=40)
def test_scaling_a_model_changes_no_certificate(data, scale):
    model = data.draw(CONV_MODELS.filter(lambda m: m.activation.name in ("relu", "leaky_relu")))
    text = data.draw(texts_for(model, 8))
    scaled = ConvModel(
        model.alphabet, model.embedding, model.kernels, model.head * scale, activation=model.activation.name
    )
    for method in ("lipschitz", "exact"):
        rows = [levcert.certify(m, [text], method)[0] for m in (model, scaled)]
        assert rows[0].radius == rows[1].radius
        assert exact_radius(scaled, text, OPERATIONS, 1) >= min(rows[1].radius, 1)


def test_a_margin_exactly_on_the_boundary_is_not_certified():
    """One symbol a with score 1, b with 0: n letters a survive n − 1 deletions, not n."""
    model = ConvModel(Alphabet("ab"), [[1.0], [0.0]], [[[[1.0]]]], [[0.0], [1.0]])
    for n in range(1, 6):
        row = levcert.certify(model, ["a" * n], "lipschitz")[0]
        assert row.margin == n
        assert row.radius == n - 1
        assert exact_radius(model, "a" * n, OPERATIONS, n) == n - 1
    assert levcert.certify(model, [""], "lipschitz")[0].radius == 0
    assert levcert.certify(model, ["b"], "exact")[0].radius == 0


@pytest.mark.parametrize("method", ["exact", "brute-force", "chains", "lipschitz", "auto"])
def test_of_equal_scores_the_first_label_wins_in_predictions_and_certificates_alike(method):
    """Votes for a: without any a both classes have 0, and the first is the label: of "a" it is never lost."""
    votes = np.zeros((1, 2**12, 2), dtype=np.int8)
    votes[0, slow_row([1], 2**12)] = 3, 0
    first = VoteModel(Alphabet("ab"), votes, [1], labels=["x", "y"])
    second = VoteModel(Alphabet("ab"), votes[:, :, ::-1], [1], labels=["x", "y"])
    assert list(first.predict(["", "a", "b"])) == ["x"] * 3
    assert list(second.predict(["", "a", "b"])) == ["x", "y", "x"]
    kept, lost = (levcert.certify(model, ["a"], method, max_distance=1)[0] for model in (first, second))
    assert kept.radius == 1  # its deletion is a tie, and the first label wins it
    assert lost.radius == 0
    if method in ("exact", "brute-force", "auto"):
        assert (lost.claim, lost.counterexample) in (("exact", ""), ("exact", "b"))


@given(st.data())
@settings(max_examples=25)
def test_a_certificate_is_the_same_alone_and_in_any_batch(data):
    model = data.draw(CONV_MODELS | VOTE_MODELS)
    texts = data.draw(st.lists(texts_for(model, 9), min_size=2, max_size=5))
    own = ("chains",) if isinstance(model, VoteModel) else ("lipslev", "interval")
    for method in ("lipschitz", "exact", *own):
        together = levcert.certify(model, texts, method)
        for text, row in zip(texts, together, strict=True):
            alone = levcert.certify(model, [text], method)[0]
            assert (alone.radius, alone.margin, alone.counterexample) == (row.radius, row.margin, row.counterexample)


@given(st.data(), st.integers(0, 10**6))
@settings(max_examples=40)
def test_certificates_hold_for_unicode_texts(data, seed):
    """Capitals and unknown characters in the text, any character from the attacker."""
    model = data.draw(ONE_LAYER | VOTE_MODELS)
    text = data.draw(st.text("abAB€z", max_size=8))
    row = levcert.certify(model, [text], "exact")[0]
    if row.counterexample is not None:
        assert levenshtein(text, row.counterexample) == row.upper
        assert model.predict([row.counterexample])[0] != row.label
    if row.radius >= 1:
        assert (model.predict(list(Ball(text, 1, "abcdABCD€zé"))) == row.label).all()


@given(st.data(), st.sampled_from(OPERATION_SETS), st.sampled_from([None, "a", "b€", "€", "A"]))
@settings(max_examples=150)
def test_restricted_threats_are_about_texts_as_they_are_typed(data, operations, symbols):
    """Substituting by a dropped character deletes an id, substituting a dropped character inserts one."""
    model = data.draw(ONE_LAYER | VOTE_MODELS)
    text = data.draw(st.text("abA€z", max_size=5))
    truth = exact_radius(model, text, operations, 2, symbols or typeable(model.alphabet) + "AB")
    threat = Threat(operations, symbols)
    for method in ("lipschitz", "exact", "auto", *(["chains"] if isinstance(model, VoteModel) else ["interval"])):
        row = levcert.certify(model, [text], method, threat=threat, max_distance=2)[0]
        assert row.radius <= truth, method
        assert row.threat == threat
        if row.counterexample is not None:
            assert model.predict([row.counterexample])[0] != row.label
            written = (symbols or typeable(model.alphabet) + "AB") + (
                "" if symbols or not model.alphabet.drops else model.alphabet.dropped_character
            )
            assert edits_between(text, row.counterexample, operations, written, row.upper) <= row.upper
    brute = levcert.certify(model, [text], "brute-force", threat=threat, max_distance=2)[0]
    assert brute.radius == truth
