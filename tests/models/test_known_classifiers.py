"""What as_classifier recognises: names of classes, shapes of scores, repeated texts and the budget of calls."""

import numpy as np
import pytest
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline

import levcert
from levcert import InputError, as_classifier
from levcert.models.any_classifier import OutOfCallsError

TEXTS = ["free win", "free", "win win", "lunch", "see you", "ok lunch"]


class Counted:
    """A function that remembers what it was asked."""

    def __init__(self):
        self.asked = []

    def __call__(self, texts):
        self.asked += texts
        return ["spam" if "free" in text.lower() else "ham" for text in texts]


class FakePipeline:
    """What a text-classification pipeline of transformers looks like from outside."""

    class model:  # noqa: N801 - its name there
        class config:  # noqa: N801
            id2label = {1: "POSITIVE", 0: "NEGATIVE"}  # noqa: RUF012

    def __init__(self):
        self.asked = 0

    @staticmethod
    def tokenizer(text):
        return {"input_ids": [ord(character) for character in text.lower() if character.isalnum()]}

    def __call__(self, texts, top_k=1):
        self.asked += len(texts)
        answers = []
        for text in texts:
            good = self.tokenizer(text)["input_ids"].count(ord("g")) / 2
            entries = [{"label": "POSITIVE", "score": good}, {"label": "NEGATIVE", "score": 0.6}]
            entries.sort(key=lambda entry: -entry["score"])
            answers.append(entries if top_k is None else entries[0])
        return answers


@pytest.mark.parametrize("classes", [["ham", "spam"], ["ham", "spam", "x"]])
@pytest.mark.parametrize("kind", [LogisticRegression, lambda: KNeighborsClassifier(1)])
def test_scikit_learn_keeps_its_own_labels(classes, kind):
    pipeline = make_pipeline(CountVectorizer(), kind()).fit(TEXTS, [classes[n % len(classes)] for n in range(6)])
    classifier = as_classifier(pipeline)
    assert classifier.names == tuple(classes)
    assert classifier.predict(TEXTS).tolist() == pipeline.predict(TEXTS).tolist()
    assert classifier.scores(TEXTS).shape == (6, len(classes))
    [row] = levcert.certify(pipeline, ["ok"], "brute-force", threat=levcert.Threat(symbols="ab"))
    assert row.label == pipeline.predict(["ok"])[0]
    assert levcert.attack(pipeline, ["free win"], max_distance=1)[0].label == pipeline.predict(["free win"])[0]


def test_two_classes_have_two_columns():
    pipeline = make_pipeline(CountVectorizer(), LogisticRegression()).fit(TEXTS, [1, 1, 1, 0, 0, 0])
    scores = as_classifier(pipeline).scores(TEXTS)
    assert (scores.argmax(axis=1) == pipeline.predict(TEXTS)).all()
    assert (scores[:, 0] == 0).all()


def test_a_pipeline_of_transformers():
    fake = FakePipeline()
    classifier = as_classifier(fake)
    assert classifier.names == ("NEGATIVE", "POSITIVE")
    assert classifier.predict(["gg", "b", "GG!"]).tolist() == ["POSITIVE", "NEGATIVE", "POSITIVE"]
    assert fake.asked == 2, "the last has the tokens of the first"
    [found] = levcert.attack(fake, ["a gg"], max_distance=1, alphabet="xyz")
    assert (found.label, found.new_label) == ("POSITIVE", "NEGATIVE")


def test_repeated_texts_and_those_with_the_same_key_are_classified_once():
    function = Counted()
    classifier = as_classifier(function, key=str.casefold)
    assert classifier.predict(["free", "FREE", "a", "free"]).tolist() == ["spam", "spam", "ham", "spam"]
    assert function.asked == ["FREE", "a"] or function.asked == ["free", "a"]
    assert classifier.calls == 2
    [row] = levcert.certify(classifier, ["free"], "brute-force", threat=levcert.Threat(symbols="abAB"))
    assert row.upper == 1
    [as_typed] = levcert.certify(Counted(), ["free"], "brute-force", threat=levcert.Threat(symbols="abAB"))
    assert row.calls < as_typed.calls
    assert "texts classified" in str(row)


@pytest.mark.parametrize("most", [1, 5, 30, 200])
def test_brute_force_stops_within_its_budget(most):
    function = Counted()
    [row] = levcert.certify_callable(function, ["a free lunch"], "brute-force", symbols="ab", max_calls=most)
    assert len(function.asked) <= max(most, 1)
    assert row.calls == len(function.asked)
    assert (row.radius, row.claim) in [(0, "proved"), (0, "exact")]
    full = Counted()
    [row] = levcert.certify_callable(full, ["lunch"], "brute-force", symbols="ab")
    [same] = levcert.certify_callable(Counted(), ["lunch"], "brute-force", symbols="ab", max_calls=len(full.asked) + 2)
    assert (row.radius, same.radius) == (1, 1)


def test_the_budget_of_all_calls():
    classifier = as_classifier(Counted(), max_calls=3)
    classifier.predict(["a", "b"])
    with pytest.raises(OutOfCallsError, match="may be asked about 3"):
        classifier.predict(["c", "d"])


def test_bad_options_are_rejected():
    for options in ({"labels": ["x"]}, {"labels": ["x", "x"]}, {"labels": "ab"}, {"batch_size": 0}, {"max_calls": 0}):
        with pytest.raises(InputError, match="must be"):
            as_classifier(Counted(), **options)
    with pytest.raises(InputError, match="not LogisticRegression"):
        as_classifier(LogisticRegression())  # not fitted


def test_labels_name_the_columns():
    def scores(texts):
        return np.array([[len(text), 3] for text in texts])

    assert as_classifier(scores, labels=["long", "short"]).predict(["ab", "abcd"]).tolist() == ["short", "long"]
    [row] = levcert.certify(as_classifier(scores, labels=["long", "short"]), ["a"])
    assert (row.label, row.radius, row.upper) == ("short", 1, None)
    assert row.threat.symbols is not None


def test_smoothing_says_when_it_certifies_another_label():
    """A function that needs the whole word, and is never right when most characters are gone."""
    with pytest.warns(UserWarning, match="For 1 of 2 texts"):
        rows = levcert.certify_callable(Counted(), ["a free lunch", "lunch"], prediction_samples=50, bound_samples=100)
    assert [(row.label, row.base_label) for row in rows] == [("ham", "spam"), ("ham", "ham")]
    assert "The classifier itself says 'spam'" in str(rows[0])
    assert "itself" not in str(rows[1])
    choice = levcert.choose_deletion(Counted(), ["a free lunch", "lunch"], ["spam", "ham"], samples=50)
    assert choice.accuracy == 1
    assert choice.smoothed[0.9] == 0.5
    assert choice.rate is not None
    assert choice.rate < 0.5
    kept = levcert.certify_callable(Counted(), ["a free lunch"], deletion=choice.rate, bound_samples=100)
    assert kept[0].label == "spam"
