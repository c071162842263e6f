"""One-sided certificates: no k edits make the label ``target``; checked by full enumeration of small balls."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import levcert
from levcert import Alphabet, Ball, Certificates, ConvModel, InputError, VoteModel
from levcert.attacks import ATTACKS
from levcert.certificates.claims import IS_TARGET
from levcert.certifiers.exact import Exact
from levcert.certifiers.lipschitz import window_ranges
from levcert.certifiers.search.refine import Refine
from tests.counting_model import counting_model
from tests.slow_twins import VOTE_MODELS
from tests.theory.small_models import CONV_MODELS, ONE_LAYER, OPERATION_SETS, texts_for, typeable


def one_sided_radius(model, text, target, operations, k):
    """Full enumeration: the largest r ≤ k such that no text within r edits has the label target."""
    for distance in range(1, k + 1):
        if (model.predict(list(Ball(text, distance, typeable(model.alphabet), operations))) == target).any():
            return distance - 1
    return k


def methods_for(model):
    methods = ["lipschitz", "exact", "auto", "brute-force"]
    methods += ["interval"] if isinstance(model, ConvModel) else []
    methods += [Refine(max_distance=3, expansions=10_000)] if isinstance(model, VoteModel) else []
    return methods + (["chains"] if window_ranges(model) is not None else [])


@given(st.data(), st.sampled_from(OPERATION_SETS), st.integers(1, 2))
@settings(max_examples=60)
def test_certified_at_most_enumerated_at_most_attacked(data, operations, k):
    model = data.draw(CONV_MODELS | VOTE_MODELS)
    text = data.draw(texts_for(model, 6))
    target = data.draw(st.sampled_from(model.labels))
    [label] = model.predict([text])
    truth = one_sided_radius(model, text, target, operations, k)
    for method in methods_for(model):
        distance = k if method in ("exact", "auto", "brute-force") else None
        row = levcert.certify(model, [text], method, operations=operations, target=target, max_distance=distance)[0]
        assert (row.label, row.target) == (label, target)
        if label == target:
            assert (row.claim, row.radius, row.upper) == (IS_TARGET, 0, None)
            continue
        assert min(row.radius, k) <= truth, method
        if row.counterexample is not None:
            assert model.predict([row.counterexample])[0] == target
            assert row.upper > k or row.upper > truth
        if row.claim == "exact" and row.radius < k:
            assert row.radius == truth
    for method in ATTACKS:
        found = levcert.attack(model, [text], method, max_distance=k, operations=operations, target=target)[0]
        if found.success:
            assert label != target == found.new_label
            assert model.predict([found.adversarial])[0] == target
            assert truth < found.distance <= k


@given(st.data(), st.sampled_from(OPERATION_SETS))
@settings(max_examples=50)
def test_the_search_is_exact_at_distance_two(data, operations):
    """For a convolution with any number of classes; for votes with two, where losing to the target is to become it."""
    model = data.draw(ONE_LAYER | VOTE_MODELS.filter(lambda model: model.classes == 2))
    text, target = data.draw(texts_for(model, 5)), data.draw(st.sampled_from(model.labels))
    exact = Exact(max_distance=2, evaluations=None, nodes=None)
    row = levcert.certify(model, [text], exact, operations=operations, target=target)[0]
    if row.claim != IS_TARGET:
        assert min(row.radius, 2) == one_sided_radius(model, text, target, operations, 2)


@given(st.data())
@settings(max_examples=60)
def test_radii_of_all_classes_are_the_one_sided_ones(data):
    model = data.draw(VOTE_MODELS | ONE_LAYER)
    text = data.draw(texts_for(model, 6))
    options = {"max_distance": 2}
    row = levcert.certify(model, [text], "exact", per_class=True, **options)[0]
    others = [label for label in model.labels if label != row.label]
    expected = {label: levcert.certify(model, [text], "exact", target=label, **options)[0].radius for label in others}
    assert row.class_radii == expected
    plain = levcert.certify(model, [text], "exact", **options)[0]
    assert (row.radius, row.claim, row.counterexample) == (plain.radius, plain.claim, plain.counterexample)
    if row.claim == "exact":  # then some class is as near as that
        assert min(expected.values()) <= row.radius


def test_a_third_class_between_label_and_target():
    """Counts of a, b and c: from a text of a's, one cannot pass as c without beating b, too."""
    embedding = np.eye(3)
    model = ConvModel(Alphabet("abc"), embedding, [np.eye(3)[None]], np.eye(3), labels=["a", "b", "c"])
    text = "aaabb"
    to = {label: levcert.certify(model, [text], target=label, max_distance=3)[0] for label in "bc"}
    assert (to["b"].radius, to["b"].counterexample is not None) == (0, True)  # aabbb
    assert to["c"].radius == one_sided_radius(model, text, "c", levcert.Threat().operations, 3) == 2  # acbcb → ccc…
    assert levcert.certify(model, [text], max_distance=3)[0].radius == 0
    everything = levcert.certify(model, [text], per_class=True, max_distance=3)[0]
    assert everything.class_radii == {"b": 0, "c": 2}


def test_ties_are_judged_as_predict_judges_them():
    """The first of equal scores wins: becoming an earlier class takes a tie, becoming a later one takes more."""
    model = counting_model(weight=1.0)  # letters before digits
    for text, target, expected in (
        ("111", "letters", 1),
        ("aaa", "digits", 1),
        ("11", "letters", 0),
        ("aa", "digits", 1),
    ):
        row = levcert.certify(model, [text], target=target)[0]
        assert row.radius == expected == one_sided_radius(model, text, target, levcert.Threat().operations, 2)
        assert model.predict([row.counterexample])[0] == target


def test_the_sentences_say_whose_label_and_which_target():
    model = counting_model()
    row, already = levcert.certify(model, ["hello", "123"], target="digits")
    assert str(row).startswith(
        "'letters': Proved: 2 edits or fewer cannot make the label 'digits'; 3 can. 'digits' after 3: "
    )
    assert str(already) == "'digits': The text has the label 'digits' as it is."
    near = levcert.certify(model, ["a"], target="digits")[0]
    assert "One edit can make the label 'digits'." in str(near)


def test_one_sided_rows_are_files_like_all_others(tmp_path):
    model = counting_model()
    rows = levcert.certify(model, ["hello", "123"], target="digits", per_class=True)
    for ending in ("csv", "jsonl", "parquet"):
        rows.save(tmp_path / f"rows.{ending}")
        assert Certificates.read(tmp_path / f"rows.{ending}") == rows
    assert [row.class_radii for row in rows] == [{"digits": 2}, {"letters": 1}]
    assert len({*rows}) == 2  # still hashable


def test_recall_of_one_class():
    model = counting_model()
    texts, truth = ["hello", "ab", "12", "123", "x1234"], ["letters", "letters", "letters", "digits", "digits"]
    rows = levcert.certify(model, texts, target="digits")
    assert [rows.verified_recall(truth, k, "letters").hits for k in range(4)] == [2, 2, 1, 0]
    assert rows.verified_recall(truth, 1, "letters").total == 3
    evaluation = levcert.evaluate(model, texts, truth, target="digits", max_distance=3)
    assert list(evaluation.shares())[:2] == ["recall", "verified recall k=1"]
    assert [evaluation.verified(k).hits for k in range(4)] == [2, 2, 1, 0]
    assert [evaluation.verified(k).total for k in range(2)] == [3, 3]
    assert (evaluation.counted, len(evaluation), evaluation.labels) == (3, 5, ("letters",))
    caught = evaluation.verified_of_caught(2)
    assert (caught.hits, caught.total) == (1, 2)
    assert [evaluation.attacked(k).hits for k in range(4)] == [2, 2, 1, 0]
    assert evaluation.to_dict()["target"] == "digits"


@pytest.mark.parametrize("call", [levcert.certify, levcert.attack])
def test_a_target_that_no_class_is(call):
    with pytest.raises(InputError, match="There is no label 'ham'; the classifier has 'letters', 'digits'"):
        call(counting_model(), ["a"], target="ham")


def test_functions_have_targets_too():
    def first_letter(texts):
        return [text[:1] or "none" for text in texts]

    rows = {
        target: levcert.certify_callable(first_letter, ["a"], "brute-force", symbols="abc", target=target)[0]
        for target in ("b", "x", "a")
    }
    assert (rows["b"].radius, rows["b"].counterexample) == (0, "b")
    assert (rows["x"].radius, rows["x"].claim) == (1, "proved")
    assert rows["a"].claim == IS_TARGET
    smoothed = levcert.certify_callable(lambda texts: ["a"] * len(texts), ["a"], target="b")[0]
    assert smoothed.radius >= 0
    with pytest.raises(InputError, match="Radii of each class"):
        levcert.certify(first_letter, ["a"], "smoothing", per_class=True)


def test_imported_pipelines_have_targets_too():
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline

    pipeline = make_pipeline(TfidfVectorizer(analyzer="char", ngram_range=(1, 2)), LogisticRegression())
    model = levcert.from_sklearn(pipeline.fit(["aa", "ab", "bb", "ba", "cc", "ca"], ["a", "a", "b", "b", "c", "c"]))
    for target in "abc":
        row = levcert.certify(model, ["aab"], target=target, max_distance=1)[0]
        assert (row.claim == IS_TARGET) == (row.label == target)
        if row.counterexample is not None:
            assert pipeline.predict([row.counterexample])[0] == target
        near = pipeline.predict(list(Ball("aab", 1, Alphabet("abcx"), levcert.Threat().operations)))
        assert row.radius == 0 or target not in near
