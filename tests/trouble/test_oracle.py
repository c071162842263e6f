"""The oracle agrees with the rest of the project where both must: scores, unrestricted balls, distances."""

import itertools
import random

import numpy as np
import pytest

from levcert import Alphabet, Ball, Threat, levenshtein
from tests.trouble.oracle import DROPPED, Reader, Scorer, ball, rules_of, typed_distance
from tests.trouble.threats import threats
from tests.trouble.typed_texts import alphabets, random_model


def test_scores_are_those_of_the_models():
    rng, numbers = random.Random(0), np.random.default_rng(0)
    for _ in range(40):
        alphabet = rng.choice([a for a in alphabets() if a.kind == "characters"])
        model = random_model(alphabet, rng, numbers)
        texts = ["".join(rng.choice("abcAB€ İ") for _ in range(rng.randrange(6))) for _ in range(5)]
        scorer = Scorer(model)
        unit = 1 / 128 if scorer.exact else 1.0
        ours = [[unit * score for score in scorer.scores(scorer.reader.ids(text))[0]] for text in texts]
        np.testing.assert_allclose(ours, model.encoded_scores(alphabet.encode_many(texts)), rtol=1e-9, atol=1e-12)
        labels = [model.labels[scorer.label(scorer.reader.ids(text), text)] for text in texts]
        assert labels == list(model.predict(texts))


@pytest.mark.parametrize("k", [0, 1, 2, 3])
@pytest.mark.parametrize("text", ["", "a", "ab", "bba"])
def test_without_restrictions_the_ball_is_the_usual_one(text, k):
    reader = Reader(Alphabet("ab").to_dict())
    found = ball(text, k, rules_of(Threat(), reader))
    assert set(found) == set(Ball(text, k, "ab" + DROPPED))
    assert all(levenshtein(text, candidate) == distance for candidate, distance in found.items())


def test_a_text_is_in_the_ball_exactly_if_its_distance_says_so():
    reader = Reader(Alphabet("ab").to_dict())
    every = ["".join(letters) for n in range(4) for letters in itertools.product("ab€", repeat=n)]
    for threat in threats("ab", "€"):
        rules = rules_of(threat, reader)
        for text in ("ab", "a€b"):
            found = ball(text, 2, rules)
            assert {t: d for t, d in found.items() if len(t) < 4} == {
                t: d for t in every if (d := typed_distance(text, t, rules)) <= 2
            }


def test_each_character_is_edited_once_only():
    """a → b → c would be two substitutions of one character; an inserted character is not substituted."""
    reader = Reader(Alphabet("abc").to_dict())
    chain = Threat(frozenset({"substitute"}), neighbours={"a": "b", "b": "c"})
    assert set(ball("a", 2, rules_of(chain, reader))) == {"a", "b"}
    both = Threat(frozenset({"insert", "substitute"}), symbols="b", neighbours={"b": "c"})
    assert set(ball("", 2, rules_of(both, reader))) == {"", "b", "bb"}
