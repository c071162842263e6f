"""The audit scores as levcert does, and knows every text of a ball."""

import dataclasses

import numpy as np
from hypothesis import example, given, settings
from hypothesis import strategies as st

from levcert import Alphabet, Ball, ConvModel, VoteModel, levenshtein
from levcert.certificates.audit import Alphabet as AuditAlphabet
from levcert.certificates.audit import (
    Neighbourhood,
    Script,
    Threat,
    read_classifier,
    threat_of,
)
from levcert.models.votes import UNIT
from tests.certificates.audit_cases import ALPHABETS, ANY, THREATS, UNKNOWN, models, obvious_ball, row, typed


class TestScores:
    @given(st.data(), models())
    @settings(max_examples=150)
    def test_labels_and_scores_are_those_of_the_model(self, saved, data, model):
        classifier = read_classifier(saved(model))
        for text in data.draw(st.lists(typed(model.alphabet), min_size=1, max_size=4)):
            ids = classifier.alphabet.encode(classifier.alphabet.typed(text))
            encoded = model.alphabet.encode_many([text])
            assert list(ids) == encoded.ids.tolist()
            unit = UNIT if isinstance(model, VoteModel) else 1
            np.testing.assert_allclose(
                np.array(classifier.scores(ids)) * unit, model.encoded_scores(encoded)[0], atol=1e-9
            )
            decision = classifier.decide(ids)
            assert classifier.labels[decision.label] == model.predict([text])[0] or not decision.certain
            if not classifier.model.exact and (exact := classifier.model.exact_scores(ids)) is not None:
                scale = max(map(abs, exact)) or 1
                largest = max(map(abs, classifier.scores(ids)))
                np.testing.assert_allclose(
                    np.array([x / scale for x in exact]) * largest, classifier.scores(ids), atol=1e-9
                )

    @given(st.data(), models())
    @settings(max_examples=150)
    def test_scores_of_neighbours_are_those_of_whole_texts(self, saved, data, model):
        classifier = read_classifier(saved(model))
        texts = st.lists(st.integers(1, min(classifier.alphabet.size, 3)), max_size=9).map(tuple)
        one, other = data.draw(texts), data.draw(texts)
        cut = data.draw(st.integers(0, len(one)))
        for ids in (other, one[:cut] + other + one[cut:], one[:cut] + one[cut + 1 :], one):
            quick, slow = Neighbourhood(classifier, one).scores(ids), classifier.scores(ids)
            if classifier.model.exact:
                assert quick == slow
            assert np.abs(np.subtract(quick, slow)).max() <= 3 * classifier.rounding(ids)

    @given(st.text())
    @example("\u0130İiIıẞßǅΣςKÅ")
    def test_any_character_of_unicode_gets_the_same_id(self, text):
        for alphabet in (Alphabet("aäßıi̇ž\ud800 "[:4]), Alphabet("\u0130i\ufffd", unknown="symbol"), Alphabet.bytes()):
            own = AuditAlphabet.from_header(alphabet.to_dict())
            if alphabet.kind == "bytes" and any("\ud800" <= c <= "\udfff" for c in text):
                continue
            assert own.encode(own.typed(text)) == tuple(alphabet.encode(text).tolist())

    def test_whole_numbers_decide_where_floats_cannot(self, saved):
        third = 1 / 3
        model = ConvModel(Alphabet("ab"), [[third], [-third]], [[[[1.0]]]], [[1.0], [1.0 + 2**-52]])
        classifier = read_classifier(saved(model))
        assert classifier.decide((1,) * 9) == dataclasses.replace(classifier.decide((1,)), label=1, certain=False)
        assert classifier.decide(()).certain  # all scores are 0: the first label


class TestTheBall:
    @given(st.text("abcAB" + UNKNOWN, max_size=4), st.integers(0, 2), st.sampled_from(["drop", "symbol", "cased"]),
           st.sets(st.sampled_from(ANY["operations"]), min_size=1))  # fmt: skip
    @settings(max_examples=150)
    def test_it_is_that_of_levcert(self, text, k, kind, operations):
        alphabet = ALPHABETS[kind]
        own = AuditAlphabet.from_header(alphabet.to_dict())
        threat = Threat(own, frozenset(operations))
        ours = list(threat.texts(text, k))
        symbols = alphabet.symbols + UNKNOWN
        assert {own.encode(made) for made in ours} == {own.encode(made) for made in Ball(text, k, symbols, operations)}
        counts = threat.counts(text)
        assert len(ours) == sum(next(counts) for _ in range(k + 1))

    @given(
        st.text("abB" + UNKNOWN, max_size=4), st.integers(0, 2), st.sampled_from(["drop", "symbol", "cased"]), THREATS
    )
    @settings(max_examples=150)
    def test_restricted_threats(self, text, k, kind, fields):
        alphabet = ALPHABETS[kind]
        own = AuditAlphabet.from_header(alphabet.to_dict())
        threat = _threat(own, fields)
        ball = obvious_ball(text, k, alphabet, fields)
        assert {own.encode(made) for made in threat.texts(text, k)} == {own.encode(made) for made in ball}
        for other, distance in list(ball.items())[:30]:
            assert threat.distance(text, other, k) == distance
            assert threat.distance(text, other, distance - 1) is None

    @given(st.text("abc", max_size=7), st.text("abc", max_size=7))
    def test_the_distance_is_levenshtein_s(self, a, b):
        threat = Threat(AuditAlphabet.from_header(Alphabet("abc").to_dict()))
        assert threat.distance(a, b, 14) == levenshtein(a, b)

    @given(st.text("abB" + UNKNOWN, max_size=5), THREATS, st.integers(0, 3), st.randoms(use_true_random=False))
    def test_random_scripts_stay_inside(self, text, fields, k, rng):
        own = AuditAlphabet.from_header(ALPHABETS["drop"].to_dict())
        threat = _threat(own, fields)
        script = Script(threat, text)
        made = 0
        while made < k and (edit := script.random_edit(rng)) is not None:
            assert edit in set(script.edits())
            script = script.with_edit(edit)
            made += 1
        assert threat.distance(text, str(script), made) is not None


def _threat(alphabet, fields):
    rows = [row("", "x", 0, threat=fields)]
    from levcert.certificates.audit import read_rows

    return threat_of(next(read_rows(rows)), alphabet)
