"""Imported pipelines label every text as ``pipeline.predict`` does, bit for bit; what is not sound is rejected."""

import random

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_extraction.text import CountVectorizer, HashingVectorizer, TfidfTransformer, TfidfVectorizer
from sklearn.linear_model import LogisticRegression, Perceptron, RidgeClassifier, SGDClassifier
from sklearn.naive_bayes import ComplementNB, MultinomialNB
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

import levcert
from levcert import InputError
from levcert.models.linear.from_sklearn import from_sklearn
from levcert.models.linear.front_end import FrontEnd
from levcert.models.linear.linear_ngrams import LinearNgrams

AB = FrontEnd("ab")

HOSTILE = [
    "",
    " ",
    "  ",
    "\t",
    "\t ",
    " \u2003",
    "\x1c\x1d",
    "\u3000",
    "a",
    "Σ",
    "ΑΣ",
    "ΑΣ Α",
    "ΣΣ",
    "İ",
    "iİI",
    "ß",
    "ẞ",
    "ﬁ",
    "ﬁn",
    "é",
    "e\u0301",
    "\u0301",
    "\u0345",
    "½",
    "´",
    "ﷺ",
    "한글",
    "\u200b",
    "\ud800",
    "a\ud800b",
    "\U0001f600",
    "\x00",
    "a\x00b",
    "ΑΣ\u0301Α",
    "ǅ",
    "K",
]
PIECES = [
    "good",
    "bad ",
    "Free ",
    "win",
    " lunch",
    "a ",
    " I ",
    "İst",
    "ΑΣ",
    "naï",
    "ve ",
    "ﬁ",
    "x",
    "  ",
    "\t",
    "\n\n",
    *HOSTILE,
]
VECTORIZERS = {
    "tfidf": TfidfVectorizer(analyzer="char", ngram_range=(2, 5)),
    "l1, no accents": TfidfVectorizer(analyzer="char", ngram_range=(1, 3), norm="l1", strip_accents="unicode"),
    "counts as typed": CountVectorizer(analyzer="char", ngram_range=(1, 3), lowercase=False, min_df=2),
    "words": TfidfVectorizer(analyzer="char_wb", ngram_range=(2, 4)),
    "long n-grams of words": TfidfVectorizer(analyzer="char_wb", ngram_range=(4, 5), norm=None),
    "ascii": CountVectorizer(analyzer="char", ngram_range=(3, 4), strip_accents="ascii"),
}
CLASSIFIERS = [
    LogisticRegression(max_iter=1000),
    LinearSVC(),
    SGDClassifier(),
    RidgeClassifier(),
    Perceptron(),
    MultinomialNB(),
    ComplementNB(),
]


def random_text(rng, most=10):
    return "".join(rng.choice(PIECES) for _ in range(rng.randint(0, most)))


def random_edit(rng, text):
    at, new = rng.randint(0, len(text)), rng.choice([*"ab \t", "", *(c for piece in HOSTILE for c in piece)])
    return text[:at] + new + text[at + rng.randint(0, 1) :]


def fitted(vectorizer, classifier, classes, seed=1):
    rng = random.Random(seed)
    texts = [random_text(rng) for _ in range(60)]
    return make_pipeline(vectorizer, classifier).fit(texts, [classes[n % len(classes)] for n in range(len(texts))])


@pytest.mark.parametrize("vectorizer", VECTORIZERS.values(), ids=VECTORIZERS)
@pytest.mark.parametrize("classifier", CLASSIFIERS, ids=lambda classifier: type(classifier).__name__)
@pytest.mark.parametrize("classes", ["ab", "abc"])
def test_scores_are_those_of_the_pipeline_bit_for_bit(vectorizer, classifier, classes):
    pipeline = fitted(vectorizer, classifier, classes)
    model, rng = from_sklearn(pipeline), random.Random(2)
    texts = HOSTILE + [random_text(rng) for _ in range(30)]
    texts += [random_edit(rng, text) for text in texts]
    assert model.predict(texts).tolist() == pipeline.predict(texts).tolist()
    if hasattr(classifier, "decision_function"):
        expected, scores = pipeline.decision_function(texts), model.scores(texts)
        assert np.array_equal(scores[:, 1] if expected.ndim == 1 else scores, expected)


def test_three_steps_are_imported_as_two():
    pipeline = make_pipeline(CountVectorizer(analyzer="char"), TfidfTransformer(), LogisticRegression())
    texts = ["good film", "bad film", "good", "bad"]
    pipeline.fit(texts, [1, 0, 1, 0])
    model = from_sklearn(pipeline)
    assert model.predict(texts).tolist() == ["1", "0", "1", "0"]
    assert "CountVectorizer + TfidfTransformer + LogisticRegression" in repr(model)


@pytest.mark.parametrize(
    ("vectorizer", "classifier", "reason"),
    [
        (TfidfVectorizer(analyzer="char", sublinear_tf=True), LogisticRegression(), "sublinear_tf=False"),
        (CountVectorizer(analyzer="char", binary=True), LogisticRegression(), "binary=False"),
        (CountVectorizer(), LogisticRegression(), "analyzer='char'"),
        (CountVectorizer(analyzer=str.split), LogisticRegression(), "a function"),
        (CountVectorizer(analyzer="char", preprocessor=str.upper), LogisticRegression(), "lowercase="),
        (CountVectorizer(analyzer="char_wb"), LogisticRegression(), "ngram_range"),
        (CountVectorizer(analyzer="char", dtype=np.float32), LogisticRegression(), "float64"),
        (HashingVectorizer(analyzer="char"), LogisticRegression(), "TfidfVectorizer"),
        (CountVectorizer(analyzer="char"), RandomForestClassifier(2), "not a linear classifier"),
    ],
)
def test_what_is_not_sound_is_rejected_and_says_what_to_use(vectorizer, classifier, reason):
    pipeline = make_pipeline(vectorizer, classifier).fit(["good film", "bad film"], [1, 0])
    with pytest.raises(InputError, match=reason):
        from_sklearn(pipeline)


@pytest.mark.parametrize("idf", [[1.0, -1.0], [0.0, 1.0], [1.0, 1e-60], [1e160, 1.0]])
def test_an_idf_that_scikit_learn_never_computes_is_rejected(idf):
    with pytest.raises(InputError, match="idf"):
        LinearNgrams(AB, np.array([[1], [2]], np.int32), np.ones((2, 2)), np.zeros(2), idf=np.array(idf), labels="xy")


def test_a_file_cannot_give_word_boundaries_a_weight():
    """from_sklearn imports no such model; one of a file was once certified although emptying the text changed it."""
    words = FrontEnd("a ", word_boundaries=True)
    with pytest.raises(InputError, match="space alone"):
        LinearNgrams(words, np.array([[1], [2]], np.int32), np.ones((2, 2)), np.zeros(2), labels="xy")


@pytest.mark.parametrize("largest", [1e51, 1e308, np.inf, np.nan])
def test_weights_whose_bounds_overflow_are_rejected(largest):
    """The loss of "a" was once NaN at 1e308: no edit seemed to reach the margin, and all were certified."""
    weights = np.array([[largest, -largest], [1, 1]])
    with pytest.raises(InputError, match="scale the features"):
        LinearNgrams(AB, np.array([[1], [2]], np.int32), weights, np.zeros(2), labels="xy")


def test_other_objects_and_unfitted_pipelines_are_rejected():
    with pytest.raises(InputError, match="fitted sklearn Pipeline, not LogisticRegression"):
        from_sklearn(LogisticRegression())
    with pytest.raises(InputError, match="not fitted"):
        from_sklearn(make_pipeline(CountVectorizer(analyzer="char"), LogisticRegression()))


def test_a_subclass_is_not_taken_for_its_base():
    class Louder(CountVectorizer):
        def build_analyzer(self):
            return lambda text: list(text.upper())

    with pytest.raises(InputError, match="Louder"):
        from_sklearn(make_pipeline(Louder(analyzer="char"), LogisticRegression()).fit(["ab", "b"], [0, 1]))


@pytest.mark.parametrize("vectorizer", VECTORIZERS.values(), ids=VECTORIZERS)
def test_a_saved_model_is_the_same(vectorizer, tmp_path):
    model = from_sklearn(fitted(vectorizer, LogisticRegression(), "abc"))
    model.save(tmp_path / "model.safetensors")
    loaded = levcert.load(tmp_path / "model.safetensors")
    rng = random.Random(3)
    texts = [random_text(rng) for _ in range(50)]
    assert np.array_equal(loaded.scores(texts), model.scores(texts))
    assert repr(loaded) == repr(model)


def test_where_every_typed_character_is_known_none_stands_for_the_unknown():
    """With strip_accents="ascii" every character becomes ASCII or nothing."""
    texts = ["".join(map(chr, range(128))), "abc"]
    vectorizer = CountVectorizer(analyzer="char", strip_accents="ascii")
    pipeline = make_pipeline(vectorizer, LogisticRegression()).fit(texts, ["all", "few"])
    row = levcert.certify(levcert.from_sklearn(pipeline), ["abd"], max_distance=1)[0]
    assert row.label == pipeline.predict(["abd"])[0]
