"""Certificates of imported pipelines against enumeration, where white space and case turn one edit into more."""

import itertools
import random

import numpy as np
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.naive_bayes import ComplementNB
from sklearn.pipeline import make_pipeline

import levcert
from levcert import Ball, InputError, Threat
from levcert.certifiers import linear_search
from levcert.certifiers.linear_search import Against, TextSearch
from levcert.models.linear import linear_ngrams
from levcert.models.linear.from_sklearn import from_sklearn
from levcert.models.linear.linear_ngrams import LinearNgrams

PIECES = ["ab", "b", "a ", "aa", " ba", "\t", "  ", "bb ", "Ab", "İ", "Σ", "é", "ΒΣ"]
# One of each kind that the models below tell apart, and characters that become two, none, or white space.
TYPED = "ab \t\nz\u2003ABİΣσςéeβ\u0301ﬁ´½"


def random_text(rng, most):
    return "".join(rng.choice(PIECES) for _ in range(rng.randint(0, most)))


def random_model(seed):
    rng = random.Random(seed)
    texts, classes = [random_text(rng, 12) for _ in range(40)], "abc"[: rng.choice([2, 3])]
    analyzer = rng.choice(["char", "char", "char_wb"])
    shortest = rng.choice([1, 2]) if analyzer == "char" else rng.choice([2, 4])
    vectorizer = TfidfVectorizer(
        analyzer=analyzer,
        ngram_range=(shortest, shortest + rng.choice([0, 1, 2])),
        norm=rng.choice(["l2", "l2", "l1", None]),
        lowercase=rng.random() < 0.7,
        strip_accents=rng.choice([None, None, "unicode", "ascii"]),
        min_df=rng.choice([1, 4]),
    )
    classifier = rng.choice(
        [LogisticRegression(C=rng.choice([0.1, 1, 30]), max_iter=3000), RidgeClassifier(), ComplementNB()]
    )
    pipeline = make_pipeline(vectorizer, classifier).fit(
        texts,
        [rng.choice(classes) for _ in texts] if seed % 2 else [classes[n % len(classes)] for n in range(len(texts))],
    )
    return pipeline, from_sklearn(pipeline)


def margin_of(model, text, label, other):
    """The margin of a text times its norm, from its counts alone."""
    rows, counts = model.counts(text)
    sums = (model.scaled[rows] * counts[:, None]).sum(axis=0)
    size = {
        None: 1.0,
        "l1": (model.factors[rows] * counts).sum(),
        "l2": np.sqrt(((model.factors[rows] * counts) ** 2).sum()),
    }[model.norm]
    return (sums + size * model.intercept)[[label, other]] @ [1, -1]


@pytest.mark.parametrize("seed", range(16))
def test_no_text_within_the_radius_has_another_label(seed):
    _, model = random_model(seed)
    rng = random.Random(seed + 1000)
    model.intercept[:] += np.array([rng.gauss(0, 0.5 * (seed % 3)) for _ in model.labels])  # a norm matters only then
    threat = Threat(
        rng.choice([("insert", "delete", "substitute"), ("insert",), ("delete", "substitute")]),
        rng.choice([None, None, "ab ", "Σσb", "İa\t"]),
    )
    for text in [random_text(rng, 3)[:8] for _ in range(4)]:
        certificate = levcert.certify(model, [text], max_distance=2, threat=threat)[0]
        assert certificate.label == model.predict([text])[0]
        typed = TYPED if threat.symbols is None else threat.symbols
        for k in range(1, min(certificate.radius, 1 if len(text) > 4 else 2) + 1):
            ball = list(Ball(text, k, typed, threat.operations))
            assert set(model.predict(ball)) == {certificate.label}, (text, certificate)
        if certificate.upper is not None:
            assert model.predict([certificate.counterexample])[0] != certificate.label
            assert len(threat.script(text, certificate.counterexample, 9)) == certificate.upper


@pytest.mark.parametrize("seed", range(12))
def test_one_edit_is_decided_exactly(seed):
    _, model = random_model(seed)
    rng = random.Random(seed + 2000)
    for text in [random_text(rng, 6)[:12] for _ in range(6)]:
        if not len(model.counts(text)[0]) or model.front_end.depends_on_context(text):
            continue  # its score has no norm to compare with, or it contains a capital sigma
        certificate = levcert.certify(model, [text], max_distance=1)[0]
        broken = (model.predict(list(Ball(text, 1, TYPED))) != certificate.label).any()
        assert not broken or certificate.claim == "exact"
        assert certificate.radius == 1 or certificate.upper == 1


@pytest.mark.parametrize("seed", range(12))
def test_the_quick_losses_are_the_slow_ones(seed):
    """Every single edit of a text: the bound of the margin, against the margin of the edited text itself."""
    _, model = random_model(seed)
    rng = random.Random(seed + 3000)
    for text in [random_text(rng, 5) for _ in range(3)]:
        search = TextSearch(model, text, Threat())
        if model.front_end.depends_on_context(text) or not len(model.counts(text)[0]):
            continue
        for pair in search.against:
            for slot, choice in zip(*np.nonzero(pair.losses > -np.inf), strict=True):
                edited = search.edited(text, int(slot), int(choice))
                real = margin_of(model, edited, search.label, pair.other)
                bound = pair.margin - pair.losses[slot, choice]
                assert bound <= real + 1e-9
                assert model.norm == "l2" or bound == pytest.approx(real, abs=1e-9)


def check_all_pairs(model, text, threat, monkeypatch):
    """With a threshold that every pair reaches: every text two edits away is there, and none lies below its bound."""
    listed = []

    def two_edits(pair, pairs, threshold, found, loss):
        largest, count = pairs(threshold)
        pair.worst = min(pair.worst, pair.margin - largest)
        assert count <= len(loss), "the text is too long for this test"
        for (slot, choice, other, second), value in zip(found[:count].tolist(), loss.tolist(), strict=False):
            edited = pair.search.edited(pair.search.edited(pair.search.text, other, second), slot, choice)
            listed.append((edited, value))
        return iter(())

    monkeypatch.setattr(Against, "_two_edits", two_edits)
    monkeypatch.setattr(linear_search, "_CLASSIFIED", 400_000)
    search = TextSearch(model, text, threat)
    typed = "".join(search.brought.typed.values())
    for pair in search.against:
        listed.clear()
        pair.tolerance, tolerance = 1e100, pair.tolerance
        assert list(pair.pairs()) == []
        real = {edited: margin_of(model, edited, search.label, pair.other) for edited, _ in listed}
        gaps = np.array([real[edited] - (pair.margin - value) for edited, value in listed])
        assert gaps.min(initial=0) >= -tolerance
        if model.norm != "l2":
            assert gaps.max(initial=0) <= tolerance
        assert pair.worst <= min(real.values(), default=np.inf) + tolerance
        pair.tolerance, pair.worst = -1e100, np.inf  # now a bound for all symbols rules every pair with a hole out
        assert list(pair.pairs()) == []
        assert pair.worst <= min(real.values(), default=np.inf) + tolerance
        seen = {model.front_end.encode_many([edited])[0].tobytes() for edited in real}
        near = {
            model.front_end.encode_many([edited])[0].tobytes() for edited in Ball(text, 1, typed, threat.operations)
        }
        for edited in Ball(text, 2, typed, threat.operations):
            assert model.front_end.encode_many([edited])[0].tobytes() in seen | near, edited


@pytest.mark.parametrize("seed", range(24))
def test_pairs_of_edits_are_complete_and_their_bound_holds(seed, monkeypatch):
    _, model = random_model(seed)
    rng = random.Random(seed + 4000)
    model.intercept[:] += np.array([rng.gauss(0, seed % 3) for _ in model.labels])
    threat = Threat(rng.choice([("insert", "delete", "substitute"), ("insert", "delete"), ("substitute",)]))
    for text in [random_text(rng, 6)[: rng.randint(1, 5)] for _ in range(2)]:
        several = len(TextSearch(model, text, threat).brought.several)
        if (
            not model.front_end.depends_on_context(text)
            and len(model.counts(text)[0])
            and several <= linear_search._MOST_STRINGS
        ):
            check_all_pairs(model, text, threat, monkeypatch)


@pytest.mark.parametrize("delta", [0.0, 3.0, -3.0])
@pytest.mark.parametrize("norm", [None, "l1", "l2"])
@pytest.mark.parametrize("text", ["a\tba", "ab\ta", "a\tb\ta", "abaab", "aaaaaa", "a  b", "\t", "b \t "])
def test_pairs_of_edits_where_all_n_grams_have_weights(text, norm, delta, monkeypatch):
    """In "a\\tba", "a" → " " turns the tab into a space, which stands in the 3-grams of the last "a": they are near."""
    grams = ["".join(gram) for n in (1, 2, 3) for gram in itertools.product("ab \t", repeat=n)]
    vectorizer = TfidfVectorizer(analyzer="char", ngram_range=(1, 3), norm=norm, use_idf=False, vocabulary=grams)
    pipeline = make_pipeline(vectorizer, RidgeClassifier()).fit(["a", "b"], ["x", "y"])
    own = vectorizer.transform([text]).toarray()
    pipeline[-1].coef_ = np.random.default_rng(len(text)).normal(size=own.shape) + 30 * own / (own**2).sum()
    pipeline[-1].intercept_ = np.array([delta])
    model = from_sklearn(pipeline)
    assert model.predict([text]) == ["y"]  # so that delta is what it says
    check_all_pairs(model, text, Threat(symbols="ab \t"), monkeypatch)


@pytest.mark.parametrize("seed", range(12))
def test_two_edits_are_decided_exactly(seed):
    _, model = random_model(seed)
    rng = random.Random(seed + 5000)
    for text in [random_text(rng, 6)[:4] for _ in range(2)]:
        several = len(TextSearch(model, text, Threat()).brought.several)
        if not len(model.counts(text)[0]) or model.front_end.depends_on_context(text) or several > 12:
            continue
        certificate = levcert.certify(model, [text], max_distance=2)[0]
        broken = (model.predict(list(Ball(text, 2, TYPED))) != certificate.label).any()
        assert not broken or certificate.claim == "exact"
        assert certificate.radius == 2 or certificate.upper == certificate.radius + 1


def test_white_space_that_merges_and_splits():
    texts = ["x a y", "x  y", "x y", "xay", "x\ty", "x\t\ty"]
    pipeline = make_pipeline(
        TfidfVectorizer(analyzer="char", ngram_range=(1, 2), norm=None), LogisticRegression(C=100, max_iter=3000)
    )
    model = from_sklearn(pipeline.fit(texts * 3, [0, 1, 1, 0, 0, 1] * 3))
    for text in [*texts, "  a  ", "\t\t", " a"]:
        certificate = levcert.certify(model, [text], max_distance=1)[0]
        ball = list(Ball(text, 1, "xay \t\n□"))
        assert (certificate.radius == 1) == (len(set(pipeline.predict([text, *ball]))) == 1), text


def pipeline_of(weights, intercept, norm=None):
    """Two classes, "x" and "y"; each n-gram adds its weight to the score of "y"."""
    vectorizer = TfidfVectorizer(
        analyzer="char", ngram_range=(1, 2), norm=norm, use_idf=False, lowercase=False, vocabulary=list(weights)
    )
    pipeline = make_pipeline(vectorizer, RidgeClassifier()).fit(["a", "b"], ["x", "y"])
    pipeline[-1].coef_, pipeline[-1].intercept_ = np.array([list(weights.values())]), np.array([float(intercept)])
    return pipeline


def test_more_open_pairs_than_there_is_room_for_prove_nothing(monkeypatch):
    """All scores are equal but that of "cc", the last of nine pairs, of which five are classified."""
    monkeypatch.setattr(linear_search, "_CLASSIFIED", 5)
    pipeline = pipeline_of({"a": 0.0, "b": 0.0, "c": 0.0, "cc": 1.0}, 0)
    assert pipeline.predict(["", "c", "cc"]).tolist() == ["x", "x", "y"]
    assert levcert.certify(from_sklearn(pipeline), [""], threat=Threat(symbols="abc"))[0].radius == 1


@pytest.mark.parametrize("norm", ["l1", "l2"])
def test_a_text_without_known_n_grams_has_no_norm_to_compare_with(norm):
    pipeline = pipeline_of({"aa": 2.0}, -1, norm)
    assert pipeline.predict(["", "a", "aa"]).tolist() == ["x", "x", "y"]
    assert levcert.certify(from_sklearn(pipeline), ["", "z"]).radius.tolist() == [1, 1]


@pytest.mark.parametrize("intercept", range(0, 60, 4))
def test_radii_beyond_two_edits_hold(intercept):
    """Each "a" that becomes "b" takes 2 from the score of "y", and what becomes of "aa" 2 more."""
    pipeline = pipeline_of({"a": 1.0, "b": -1.0, "aa": 1.0, "bb": -1.0}, intercept)
    [row] = levcert.certify(from_sklearn(pipeline), ["a" * 9], max_distance=9)
    edited = ["b" * k + "a" * (9 - k) + "b" * more for k in range(10) for more in range(10) if k + more <= row.radius]
    assert set(pipeline.predict(edited)) == {"y"}
    assert row.radius > 2 or intercept < 20


def test_what_an_imported_model_cannot_do():
    _, model = random_model(0)
    with pytest.raises(InputError, match="auto or exact"):
        levcert.certify(model, ["ab"], "lipschitz")
    with pytest.raises(InputError, match="neighbours"):
        levcert.certify(model, ["ab"], threat=Threat(neighbours={"a": "b"}))
    with pytest.raises(InputError, match="str"):
        levcert.certify(model, [b"ab"])


def test_a_capital_sigma_does_not_stand_for_a_small_one_that_may_be_typed():
    """At the end of a word "Σ" becomes "ς": a text that only "σ" changes was once certified."""
    texts = ["abσ", "abς", "ab ", "σb ", "aσ ", "aς "]
    vectorizer = TfidfVectorizer(analyzer="char", ngram_range=(2, 2), norm=None, use_idf=False)
    pipeline = make_pipeline(vectorizer, RidgeClassifier(alpha=0.01))
    model = from_sklearn(pipeline.fit(texts * 3, ["x", "y", "y", "y", "y", "y"] * 3))
    assert model.predict(["ab ", "abσ", "abΣ"]).tolist() == ["y", "x", "y"]
    [row] = levcert.certify(model, ["ab "], max_distance=1, threat=Threat({"substitute"}, "Σσ"))
    assert (row.radius, row.upper) == (0, 1)


def test_characters_that_the_model_sees_alike_do_not_stand_for_each_other_next_to_a_sigma_that_is_typed():
    """ "Σ" becomes "ς" before "-" and "σ" before "z", both unknown: "abΣz" was once classified in place of "abΣ-"."""
    vectorizer = TfidfVectorizer(
        ngram_range=(1, 2), analyzer="char", norm=None, use_idf=False, vocabulary=["bς", *"cdσ"]
    )
    pipeline = make_pipeline(vectorizer, LogisticRegression()).fit(["c", "d", "a", "b"], ["x", "x", "y", "y"])
    pipeline[-1].coef_, pipeline[-1].intercept_ = np.array([[2.0, -1.5, -1.5, 0.0]]), np.array([-1.0])
    assert pipeline.predict(["abcd", "abΣz", "abΣ-"]).tolist() == ["x", "x", "y"]
    model, two = from_sklearn(pipeline), Threat({"substitute"}, "Σz-")
    assert levcert.certify(model, ["abcd"], max_distance=2, threat=two)[0].radius == 1
    small = Threat({"substitute"}, "σz-")  # nothing depends on its neighbours
    assert levcert.certify(model, ["abcd"], max_distance=2, threat=small)[0].radius == 2
    pipeline[-1].intercept_[:] = -4  # the bound alone proves it
    assert levcert.certify(from_sklearn(pipeline), ["abcd"], max_distance=2, threat=two)[0].radius == 2


def test_nothing_is_proved_about_a_text_with_a_capital_sigma():
    """ "´" looks like a space to the model, but not to the rule for "Σ": a text was once certified that it changes."""
    texts = ["βς x", "βσ x", "β x", "x"]
    vectorizer = TfidfVectorizer(analyzer="char", norm=None, use_idf=False, strip_accents="unicode")
    model = from_sklearn(make_pipeline(vectorizer, RidgeClassifier()).fit(texts * 2, ["x", "y", "y", "x"] * 2))
    assert model.front_end.expansion("´") == model.front_end.expansion(" ")
    assert model.front_end.seen("ΒΣ´X") != model.front_end.seen("ΒΣ X")
    assert model.front_end.depends_on_context("ΒΣX")
    assert levcert.certify(model, ["ΒΣX", "Σ"], max_distance=1).radius.tolist() == [0, 0]


def test_weights_beyond_the_range_of_float64_prove_nothing(monkeypatch):
    """Sums of them were once infinite or NaN, which no comparison finds too large: every text was proved.

    A model rejects such weights now; the search does not rely on that.
    """
    monkeypatch.setattr(linear_ngrams, "_LARGEST", np.inf)
    _, model = random_model(2)
    assert len(model.counts("ab")[0])
    for huge in (1e306, 1e308):
        weights = np.where(np.arange(model.weights.size).reshape(model.weights.shape) % 2, huge, -huge)
        large = LinearNgrams(
            model.front_end, model.grams, weights, model.intercept, idf=model.idf, norm=model.norm, labels=model.labels
        )
        with np.errstate(all="ignore"):
            for text in ("ab", "aab", "ba a", "b"):
                [row] = levcert.certify(large, [text], max_distance=1)
                broken = (large.predict(list(Ball(text, 1, TYPED))) != large.predict([text])).any()
                assert row.radius == 0 or not broken


@pytest.mark.parametrize("idf", [0.0, -1.0, 1e-200, np.nan])
def test_an_idf_that_scikit_learn_never_computes_is_rejected(idf):
    model = next(model for seed in range(9) if (model := random_model(seed)[1]).idf is not None)
    factors = model.idf.copy()
    factors[0] = idf
    with pytest.raises(InputError, match="idf"):
        LinearNgrams(model.front_end, model.grams, model.weights, model.intercept, idf=factors, labels=model.labels)


def test_of_too_many_pairs_the_worst_are_tried(monkeypatch):
    """Once the first pairs in the order of the text were, which found no counterexample among twenty thousand."""
    _, model = random_model(0)
    search = TextSearch(model, "ab", Threat())
    pair, losses = search.against[0], np.random.default_rng(1).permutation(1000).astype(float)
    found, loss = np.zeros((100, 4), dtype=np.int64), np.empty(100)

    def pairs(threshold):
        reaching = np.flatnonzero(losses >= threshold)
        kept = reaching[: len(loss)]
        loss[: len(kept)], found[: len(kept), 0] = losses[kept], kept
        return losses.max(), len(reaching)

    monkeypatch.setattr(TextSearch, "edited", lambda search, text, slot, choice: str(slot))
    given = [int(text) for batch in pair._two_edits(pairs, 0.0, found, loss) for text in batch]
    assert pair.undecided
    assert 50 <= len(given) <= 100
    assert losses[given].tolist() == [999.0 - n for n in range(len(given))]
