import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import levcert
from levcert import Alphabet, ConvModel, InputError, Threat, attack, levenshtein
from levcert.attacks import ATTACKS
from levcert.attacks.charmer_abad_rocamora_2024 import Charmer
from levcert.attacks.victim import WindowVictim
from levcert.text.edits import OPERATIONS
from tests.certifiers.test_certifiers import vowel_scores, vowels
from tests.models.test_conv import random_model
from tests.slow_twins import random_votes

TEXTS = st.text("abcABC€", max_size=9)


@pytest.mark.parametrize("name", ATTACKS)
@given(text=TEXTS, seed=st.integers(0, 200), k=st.integers(1, 2))
@settings(max_examples=25)
def test_contract_what_is_found_is_checked(name, text, seed, k):
    model = random_model(seed)
    result = attack(model, [text], name, max_distance=k)[0]
    assert result.method == name
    assert result.text == text
    if result.success:
        assert levenshtein(text, result.adversarial) == result.distance == len(result.edits) <= k
        scores = model.scores([result.adversarial])[0]
        label = model.labels.index(result.label)
        assert np.delete(scores, label).max() >= scores[label]
        assert "→" in str(result)
    else:
        assert "proves nothing" in str(result)


@given(TEXTS, st.integers(0, 500))
@settings(max_examples=60)
def test_charmer_with_all_slots_is_brute_force_at_distance_one(text, seed):
    model = random_model(seed)
    exact = levcert.certify(model, [text], "exact", max_distance=1)[0]
    result = attack(model, [text], Charmer(slots=10**6), max_distance=1)[0]
    if exact.radius >= 0:
        assert result.success == (exact.radius == 0)


@given(st.text("abc", max_size=7), st.integers(0, 100), st.sampled_from([1, 2]))
@settings(max_examples=30)
def test_incremental_scores_are_scores_of_whole_texts(text, seed, layers):
    model = random_model(seed, layers=layers, taps=3)
    victim = WindowVictim(model, Threat(), dropped=False)
    candidates = victim.candidates(text, np.arange(len(text) + 1), np.arange(len(text)))
    whole = model.scores([victim.edit(text, candidates, row) for row in range(len(candidates))])
    np.testing.assert_allclose(victim.edited_scores(text, candidates), whole, rtol=1e-9, atol=1e-9)
    every, scores = victim.every_edit(text)
    edited = [victim.edit(text, every, row) for row in range(len(every))]
    np.testing.assert_allclose(scores, model.scores(edited), rtol=1e-9, atol=1e-9)
    assert sorted(edited) == sorted(victim.edit(text, candidates, row) for row in range(len(candidates)))


@pytest.mark.parametrize("name", ATTACKS)
@pytest.mark.parametrize("operation", sorted(OPERATIONS))
def test_attacks_keep_to_the_threat(name, operation):
    for seed in range(8):
        model = random_model(seed)
        result = attack(model, ["abcab"], name, max_distance=2, threat=Threat(frozenset({operation}), "ab"))[0]
        for edit in result.edits:
            assert edit.operation == operation
            assert edit.symbol in (None, "a", "b")


def test_functions_can_be_attacked():
    result = attack(vowel_scores, ["aeb"], "charmer", max_distance=1)[0]
    assert result.success
    assert vowel_scores([result.adversarial])[0].argmax() != 0 or vowel_scores([result.adversarial])[0, 0] == 0
    beam = attack(vowel_scores, ["aeioub"], "beam", max_distance=3, alphabet="xa")[0]
    assert beam.distance == 2 or beam.distance == 3
    with pytest.raises(InputError, match="returns scores"):
        attack(vowels, ["aeb"])
    with pytest.raises(InputError, match="neighbours"):
        attack(vowel_scores, ["aeb"], threat=Threat(neighbours={"a": "b"}))


def test_byte_models_are_attacked_byte_by_byte():
    rng = np.random.default_rng(0)
    model = ConvModel(
        Alphabet.bytes(), rng.normal(size=(256, 2)), [rng.normal(size=(2, 3, 2))], rng.normal(size=(2, 3))
    )
    for text in (b"\x00\xffab", "é!"):
        result = attack(model, [text], "greedy", max_distance=3)[0]
        raw = text if isinstance(text, bytes) else text.encode()
        assert result.success
        assert levenshtein(raw, result.adversarial) == result.distance


def test_attacks_repeat():
    model = random_model(3)
    first, second = (attack(model, ["abcabcabc"], "random", max_distance=2)[0] for _ in range(2))
    assert first.adversarial == second.adversarial


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"method": "magic"}, "there are charmer"),
        ({"max_distance": 0}, "max_distance must be an integer of at least 1"),
    ],
)
def test_refusals_say_why(arguments, message):
    with pytest.raises(InputError, match=message):
        attack(random_model(), ["abc"], **arguments)
    with pytest.raises(InputError, match=r"write \[text\]"):
        attack(random_model(), "abc")


def test_attacks_on_nothing_find_nothing():
    single = ConvModel(Alphabet("a"), [[1.0]], [[[[1.0]]]], [[1.0], [-1.0]])
    for name in ATTACKS:
        for text in ("", "€"):
            attack(single, [text], name)
        if name not in ("search", "paths"):
            attack(vowel_scores, [""], name, operations={"delete"})
            attack(vowel_scores, ["abc"], name, alphabet="")


def test_the_unedited_text_is_no_attack():
    model = ConvModel(Alphabet("a "), [[1.0], [-1.0]], [[[[1.0]]]], [[1.0], [-1.0]])
    result = attack(model, [""], "greedy", threat=Threat(symbols="a"))[0]
    assert not result.success or result.distance > 0


@given(TEXTS, st.integers(0, 300), st.integers(1, 2))
@settings(max_examples=40)
def test_search_finds_a_counterexample_whenever_there_is_one(text, seed, k):
    model = random_model(seed)
    exact = levcert.certify(model, [text], "exact", max_distance=k)[0]
    result = attack(model, [text], "search", max_distance=k)[0]
    if exact.radius >= 0:
        assert result.success == (exact.radius < k)


@pytest.mark.parametrize("name", ["search", "paths"])
def test_search_needs_our_models(name):
    with pytest.raises(InputError, match="use charmer"):
        attack(vowel_scores, ["aeb"], name)


@given(st.text("abc", max_size=7), st.integers(0, 300), st.integers(1, 4))
@settings(max_examples=60)
def test_paths_find_a_counterexample_of_one_or_two_edits_whenever_there_is_one(text, seed, k):
    model = random_votes(seed, orders=(1, 3), classes=3, largest=20)
    exact = levcert.certify(model, [text], "refine", max_distance=k)[0]
    result = attack(model, [text], "paths", max_distance=k)[0]
    if 0 <= exact.radius < min(k, 2):
        assert result.distance == exact.upper
    if result.success and exact.radius >= 0:
        assert result.distance > exact.radius


@given(TEXTS, st.integers(0, 100))
@settings(max_examples=30)
def test_character_losses_are_those_of_the_worst_edit_at_each_character(text, seed):
    model = random_model(seed)
    losses = levcert.character_losses(model, text)
    assert len(losses) == len(text)
    positions = model.alphabet.positions(text)
    seen = [text[p] for p in positions]
    margin = _margin(model, "".join(seen))
    for place, p in enumerate(positions):
        left, right = "".join(seen[:place]), "".join(seen[place + 1 :])
        own = seen[place]
        edited = [left + right, *(left + c + right for c in "abc"), *(left + c + own + right for c in "abc")]
        if place == len(seen) - 1:
            edited += [left + own + c for c in "abc"]
        label = model.scores([text])[0].argmax()
        worst = min(_margin(model, candidate, label) for candidate in edited)
        assert losses[p] == pytest.approx(max(margin - worst, 0), abs=1e-9)
    assert not losses[[i for i in range(len(text)) if i not in positions]].any()


def _margin(model, text, label=None):
    scores = model.scores([text])[0]
    label = scores.argmax() if label is None else label
    return scores[label] - np.delete(scores, label).max()
