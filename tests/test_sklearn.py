"""The contract of a scikit-learn estimator, for a classifier of texts."""

import pickle
import subprocess
import sys

import joblib
import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

import levcert
from levcert import InputError, LevenshteinClassifier, verified_accuracy

CONV = {"epochs": 2, "kernel_size": 3, "filters": 8, "embedding_size": 6, "learning_rate": 10.0, "batch_size": 32}
FAMILIES = {"votes": {"table_bits": 12, "orders": (2, 3)}, "conv": CONV}
TOY = levcert.load_dataset("toy")
TEXTS, NUMBERS = list(TOY.train.texts[:150]), TOY.train.labels[:150]
NAMES = np.array(TOY.labels)[NUMBERS]
NEW, TRUTH = list(TOY.test.texts[:30]), np.array(TOY.labels)[TOY.test.labels[:30]]


@pytest.fixture(params=FAMILIES)
def unfitted(request):
    return LevenshteinClassifier(request.param, **FAMILIES[request.param])


@pytest.fixture(scope="module", params=FAMILIES)
def fitted(request):
    return LevenshteinClassifier(request.param, **FAMILIES[request.param]).fit(TEXTS, NAMES)


def lower(texts):
    return [text.lower() for text in texts]


def test_votes_are_the_default_and_need_no_options():
    classifier = LevenshteinClassifier().fit(TEXTS, NAMES)
    assert isinstance(classifier.model_, levcert.VoteModel)
    assert classifier.score(NEW, TRUTH) > 0.8


def test_it_learns_and_scores(fitted):
    assert fitted.score(NEW, TRUTH) > 0.9
    assert fitted.classes_.tolist() == ["digits", "letters"]
    assert fitted.n_features_in_ == 1
    assert set(fitted.predict(NEW)) == {"digits", "letters"}


def test_probabilities_and_decisions_agree_with_predictions(fitted):
    probabilities, decisions = fitted.predict_proba(NEW), fitted.decision_function(NEW)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1)
    np.testing.assert_array_equal(fitted.classes_[probabilities.argmax(axis=1)], fitted.predict(NEW))
    np.testing.assert_array_equal(fitted.classes_[(decisions > 0).astype(int)], fitted.predict(NEW))
    temperature = fitted.model_.training.temperature
    np.testing.assert_allclose(np.log(probabilities[:, 1] / probabilities[:, 0]) * temperature, decisions)


def test_three_classes_have_three_decisions():
    labels = np.where(np.char.str_len(TEXTS) > 20, "long", NAMES)
    classifier = LevenshteinClassifier("conv", **CONV).fit(TEXTS, labels)
    assert classifier.decision_function(NEW).shape == classifier.predict_proba(NEW).shape == (30, 3)
    assert classifier.classes_.tolist() == ["digits", "letters", "long"]


def test_certify_is_levcert_certify_on_the_model(fitted):
    certificates = fitted.certify(NEW[:5])
    expected = levcert.certify(fitted.model_, NEW[:5])
    np.testing.assert_array_equal(certificates.radius, expected.radius)
    np.testing.assert_array_equal(certificates.label, fitted.predict(NEW[:5]))
    assert [row.counterexample for row in certificates] == [row.counterexample for row in expected]


def test_parameters_of_certify_are_those_of_the_estimator_unless_given(fitted):
    other = pickle.loads(pickle.dumps(fitted)).set_params(method="lipschitz", max_distance=np.int64(0))
    assert {(row.method, row.radius) for row in other.certify(NEW[:5])} == {("lipschitz", 0)}
    [row] = other.certify(NEW[:1], "exact", max_distance=1, threat=levcert.Threat({"insert"}))
    assert (row.method, row.radius) == ("exact", 1)


def test_parameters_make_the_round_trip(unfitted):
    parameters = unfitted.get_params()
    assert {"model", "method", "max_distance", "random_state"} <= parameters.keys()
    copy = clone(unfitted.set_params(max_distance=3, seed=5))
    assert copy.get_params() == unfitted.get_params() == parameters | {"max_distance": 3, "seed": 5}
    assert "max_distance=3" in repr(copy)
    copy.set_params(seed=6)
    assert unfitted.get_params()["seed"] == 5


def test_fitting_again_gives_the_same_and_seeds_matter():
    classifier = LevenshteinClassifier("conv", **CONV)
    first = classifier.fit(TEXTS, NAMES).decision_function(NEW)
    np.testing.assert_array_equal(classifier.fit(TEXTS, NAMES).decision_function(NEW), first)
    np.testing.assert_array_equal(clone(classifier).fit(TEXTS, NAMES).decision_function(NEW), first)
    seeded = [
        LevenshteinClassifier("conv", random_state=state, **CONV).fit(TEXTS, NAMES).decision_function(NEW)
        for state in (7, np.random.RandomState(0), np.random.RandomState(0))
    ]
    assert not np.array_equal(seeded[0], first)
    np.testing.assert_array_equal(seeded[1], seeded[2])


def test_fit_leaves_parameters_and_data_alone(unfitted):
    parameters, texts, labels = unfitted.get_params(), np.array(TEXTS), NUMBERS.copy()
    assert unfitted.fit(texts, labels) is unfitted
    assert unfitted.get_params() == parameters
    assert texts.tolist() == TEXTS
    np.testing.assert_array_equal(labels, NUMBERS)


@pytest.mark.parametrize("method", ["predict", "predict_proba", "decision_function", "certify"])
def test_an_unfitted_one_says_so(unfitted, method):
    with pytest.raises(NotFittedError):
        getattr(unfitted, method)(NEW)


def test_pickles_hold_the_model_s_file_and_need_no_torch(fitted, tmp_path):
    joblib.dump(fitted, tmp_path / "classifier.joblib")
    code = (
        "import joblib, sys\n"
        f"classifier = joblib.load({str(tmp_path / 'classifier.joblib')!r})\n"
        f"print(classifier.decision_function({NEW!r}).tolist() == {fitted.decision_function(NEW).tolist()!r})\n"
        "print('torch' in sys.modules)"
    )
    assert subprocess.check_output([sys.executable, "-c", code], text=True).split() == ["True", "False"]
    assert pickle.loads(pickle.dumps(LevenshteinClassifier("conv", epochs=3))).get_params()["epochs"] == 3


@pytest.mark.parametrize("container", [list, tuple, np.array, pd.Series, lambda x: np.array(x, dtype=object)])
def test_texts_come_in_any_container(fitted, container):
    np.testing.assert_array_equal(fitted.predict(container(NEW)), fitted.predict(NEW))


@pytest.mark.parametrize("labels", [NUMBERS, NUMBERS.tolist(), NAMES, NAMES.tolist(), pd.Series(NAMES), NUMBERS * 10])
def test_classes_come_back_as_they_were(unfitted, labels):
    unfitted.fit(TEXTS, labels)
    np.testing.assert_array_equal(unfitted.classes_, np.unique(labels))
    assert unfitted.score(TEXTS, labels) > 0.9
    assert type(unfitted.predict(TEXTS[:1]).tolist()[0]) is type(np.asarray(labels).tolist()[0])


def test_grid_search_chooses_by_verified_accuracy():
    search = GridSearchCV(
        LevenshteinClassifier("conv", **CONV), {"epochs": np.array([1, 2])}, scoring=verified_accuracy(1), cv=2
    )
    search.fit(TEXTS, NAMES)
    assert search.best_params_["epochs"] in (1, 2)
    expected = search.best_estimator_.certify(NEW).verified_accuracy(TRUTH.tolist(), 1).value
    assert search.score(NEW, TRUTH) == expected > 0


def test_a_pipeline_cleans_texts_before_they_are_certified(unfitted):
    pipeline = make_pipeline(FunctionTransformer(lower), unfitted).fit([text.upper() for text in TEXTS], NAMES)
    assert pipeline.score([text.upper() for text in NEW], TRUTH) > 0.9
    scores = cross_val_score(pipeline, TEXTS, NUMBERS, cv=2, scoring=verified_accuracy(1))
    assert scores.shape == (2,)
    assert verified_accuracy(0)(make_pipeline(unfitted), NEW, TRUTH) == unfitted.score(NEW, TRUTH)


def test_the_scorer_travels_to_other_processes():
    assert pickle.loads(pickle.dumps(verified_accuracy(2))) == verified_accuracy(2) != verified_accuracy(1)


def test_verified_accuracy_falls_with_k(fitted):
    values = [verified_accuracy(k)(fitted, NEW, TRUTH) for k in (0, 1, 2, 3)]
    assert values == sorted(values, reverse=True)
    assert values[0] == fitted.score(NEW, TRUTH)
    for k in (-1, 1.5, True):
        with pytest.raises(InputError, match="k must be an integer of at least 0"):
            verified_accuracy(k)


@pytest.mark.parametrize(
    ("X", "y", "message"),
    [
        ("abc", ["x"], r"write \[text\]"),
        ([], [], "no texts"),
        (3, [1], "Expected a list of texts, not int"),
        (np.array([["a", "b"]]), ["x"], r"shape \(1, 2\)"),
        (["a", None], ["x", "y"], "Sample 1 is None, which is not a text"),
        (["a", float("nan")], ["x", "y"], "Sample 1 is nan, which is not a text"),
        (["a", b"b"], ["x", "y"], "Sample 1 is b'b'"),
        (["a", "b"], ["x"], r"2 texts and labels of shape \(1,\)"),
        (["a", "b"], [["x"], ["y"]], "one label per text"),
        (["a", "b"], ["x", "x"], "at least two classes"),
        (["a", "b"], ["x", None], "label of sample 1 is missing"),
        (["a", "b"], [1.0, float("nan")], "label of sample 1 is missing"),
        (["a", "b"], [0.5, 1.7], "all strings or all integers"),
    ],
)
def test_bad_samples_are_refused_in_one_sentence(X, y, message):
    with pytest.raises(InputError, match=message):
        LevenshteinClassifier("conv").fit(X, y)


@pytest.mark.parametrize(("model", "options"), [("tree", {}), ("conv", {"epocs": 3}), ("conv", {"epochs": "many"})])
def test_bad_parameters_are_refused_by_fit(model, options):
    with pytest.raises(
        InputError, match=r"tree|no training option 'epocs'|'many' is not a valid value for the training option epochs"
    ):
        LevenshteinClassifier(model, **options).fit(TEXTS, NAMES)
