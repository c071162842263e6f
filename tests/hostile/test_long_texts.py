"""Long texts: the seconds given are kept, the limits are stated in the row, and what is proved stays true."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import levcert
from levcert import Alphabet, Certificate, Certificates, ConvModel, VoteModel
from levcert.certifiers import exact
from levcert.certifiers.base import Batch
from levcert.certifiers.search import budget as budgets
from levcert.certifiers.search import edit_chains, effects_in_parts, refine
from levcert.certifiers.search.budget import Budget, OutOfBudgetError
from levcert.certifiers.search.ground import TextGround
from levcert.models import conv
from levcert.text import alphabet
from levcert.text.threat import ANY_EDIT


def votes(seed=0, classes=2):
    table = np.random.default_rng(seed).integers(-20, 21, (2, 4096, classes)).astype(np.int8)
    return VoteModel(Alphabet("abc"), table, [2, 3])


def network(seed=0, layers=1):
    rng = np.random.default_rng(seed)
    kernels = [rng.normal(size=(3, 4, 2 if layer == 0 else 4)) for layer in range(layers)]
    return ConvModel(Alphabet("abc"), rng.normal(size=(3, 2)), kernels, rng.normal(size=(2, 4)))


def text(length, seed=1):
    return "".join(np.random.default_rng(seed).choice(list("abc"), length))


@pytest.mark.parametrize("model", [votes(), network()], ids=["votes", "conv"])
def test_a_search_without_time_says_so_and_claims_one_pass(model):
    row = levcert.certify(model, [text(3000)], "auto", budget=1e-9)[0]
    assert row.undecided == "the 1e-09 s for this text are over"
    assert row.radius == levcert.certify(model, [text(3000)], "lipschitz")[0].radius
    assert "Not decided beyond that: the 1e-09 s for this text are over." in str(row)


def test_the_timer_ends_kernels_that_would_run_for_hours():
    """Any number of expansions, on a text of which no kernel finishes all of its loops."""
    method = levcert.Refine(expansions=None)
    row = levcert.certify(votes(classes=3), [text(20_000)], method, budget=0.2)[0]
    assert row.undecided in (
        "the 0.2 s for this text are over",
        "more than 2,097,152 pairs of near edits may change the label",
    )


def test_kernels_stop_at_the_flag():
    budget = Budget()
    ground = TextGround(Batch(votes(), [text(50)], ANY_EDIT), 0, budget)
    possible, gains, _ = ground.tables
    assert possible.any()
    assert gains.any()
    budget.stop[0] = 1
    stopped = TextGround(Batch(votes(), [text(50)], ANY_EDIT), 0, budget)
    with pytest.raises(OutOfBudgetError):
        _ = stopped.tables
    possible, gains = ground.model.lone_gains(
        ground.ids, 0, *(np.ones(3, bool),) * 2, np.ones((3, 3), bool), budget.stop
    )
    assert not possible.any()
    assert not gains.any()


@pytest.mark.parametrize("model", [votes(), votes(2, 3), network()], ids=["votes", "three classes", "conv"])
def test_a_text_beyond_the_limit_gets_a_row_that_says_so(model, monkeypatch):
    texts = [text(8, 4), text(40), text(60, 2), text(9, 3)]
    whole = levcert.certify(model, texts, "auto", max_distance=4)
    one_pass = levcert.certify(model, texts, "lipschitz")
    for module in (refine, exact):
        monkeypatch.setattr(module, "LONGEST_SEARCHED", 10)
    rows = levcert.certify(model, texts, "auto")
    assert [row.undecided for row in rows[1:3]] == [
        f"too long for the exact search ({length} symbols)" for length in (40, 60)
    ]
    for row, exactly, least in zip(rows[1:3], whole[1:3], one_pass[1:3], strict=True):
        assert least.radius <= row.radius
        assert exactly.claim != "exact" or row.radius <= exactly.radius
    monkeypatch.setattr(refine, "LONGEST_FOR_CHAINS", 10)
    assert [row.radius for row in levcert.certify(model, texts[1:3])] == [row.radius for row in one_pass[1:3]]


def test_chains_stop_where_more_edits_cost_too_much(monkeypatch):
    table = np.zeros((1, 4096, 2), np.int8)
    table[:, :, 0] = 1  # nothing but the length of the text counts: hundreds of edits change nothing
    model = VoteModel(Alphabet("abc"), table, [2])
    whole = levcert.certify(model, [text(300)], "chains")[0]
    monkeypatch.setattr(edit_chains, "_MOST_STEPS", 301 * 4 * 20)
    row = levcert.certify(model, [text(300)], "chains")[0]
    assert row.undecided == "too long for chains of more than 20 edits"
    assert (row.radius, whole.undecided) == (20, None)
    assert whole.radius > 20


@pytest.mark.parametrize("budget", [None, 5.0])
def test_a_text_too_long_for_chains_gets_one_pass_unless_time_is_given(budget, monkeypatch):
    model, texts = votes(), [text(9, 3), text(300)]
    short, whole = levcert.certify(model, texts, "chains", max_distance=9)
    monkeypatch.setattr(edit_chains, "LONGEST_FOR_CHAINS", 200)
    first, row = levcert.certify(model, texts, "chains", max_distance=9, budget=budget)
    assert (first.radius, first.undecided) == (short.radius, None)
    if budget is None:
        assert row.undecided == "too long for chains (300 symbols)"
        assert row.radius == levcert.certify(model, texts, "lipschitz")[1].radius <= whole.radius
    else:
        assert (row.radius, row.undecided) == (whole.radius, None)


def test_chains_of_a_long_text_prove_no_less_than_one_pass(monkeypatch):
    """A margin of hundreds of edits, and time for twenty."""
    table = np.zeros((1, 4096, 2), np.int8)
    table[:, :, 0] = 1
    model = VoteModel(Alphabet("abc"), table, [2])
    monkeypatch.setattr(edit_chains, "_LONG", 100)
    monkeypatch.setattr(edit_chains, "_MOST_STEPS", 301 * 4 * 20)
    row = levcert.certify(model, [text(300)], "chains")[0]
    assert row.radius == levcert.certify(model, [text(300)], "lipschitz")[0].radius > 20
    assert row.undecided.startswith("too long for chains of ")
    assert levcert.certify(model, [text(300)], "chains", max_distance=5)[0].radius == 5


def test_walks_along_near_edits_are_counted(monkeypatch):
    """One letter many times: every edit is like every other, and the paths between them take most of the time."""
    whole = levcert.certify(votes(), ["a" * 60])[0]
    monkeypatch.setattr(budgets, "MOST_STEPS", 100)
    row = levcert.certify(votes(), ["a" * 60])[0]
    assert row.undecided == "the search has used its 100 steps along near edits"
    assert row.radius <= whole.radius
    unlimited = levcert.certify(votes(), ["a" * 60], levcert.Refine(expansions=None))[0]
    assert unlimited.undecided is None
    assert unlimited.claim == "exact"


def test_effects_in_parts_are_those_of_the_whole(monkeypatch):
    model, ids = network(), Alphabet("abc").encode(text(50))
    whole = model.edit_effects(ids)
    monkeypatch.setattr(effects_in_parts, "_AT_ONCE", 40)
    for budget in (Budget(), Budget(None, 1e6)):
        parts = effects_in_parts.all_effects(model, ids, budget)
        for name in ("insertions", "deletions", "substitutions"):
            np.testing.assert_array_equal(getattr(parts, name), getattr(whole, name))
    monkeypatch.setattr(effects_in_parts, "MOST_EFFECTS", 40)
    with pytest.raises(OutOfBudgetError, match="too long"):
        effects_in_parts.all_effects(model, ids, Budget())


@given(st.lists(st.text("abcxyz", max_size=9), max_size=5), st.integers(1, 7))
@settings(max_examples=60, deadline=None)
def test_texts_encoded_in_pieces_are_the_same(texts, at_once):
    for letters in (Alphabet("abc"), Alphabet("abc", unknown="symbol"), Alphabet.bytes()):
        whole = letters.encode_many(texts)
        before, alphabet._AT_ONCE = alphabet._AT_ONCE, at_once
        try:
            pieces = letters.encode_many(texts)
        finally:
            alphabet._AT_ONCE = before
        np.testing.assert_array_equal(pieces.ids, whole.ids)
        np.testing.assert_array_equal(pieces.offsets, whole.offsets)
        assert [list(ids) for ids in whole] == [list(letters.encode(one)) for one in texts]


@pytest.mark.parametrize("layers", [2, 3])
def test_a_long_text_of_a_deep_network_has_the_same_bits_in_pieces(layers, monkeypatch):
    model = network(layers=layers)
    texts = [text(length) for length in (17, 64, 65, 66, 129, 500)]
    whole = model.scores(texts)
    monkeypatch.setattr(conv, "_ROWS_AT_ONCE", 8)
    for one, scores in zip(texts, whole, strict=True):
        np.testing.assert_array_equal(model.scores([one])[0], scores)


def test_long_texts_of_votes_are_scored_in_pieces():
    model, long = votes(), text(10_000)
    assert (model.scores([long]) == model.context_scores(_windows(model, long)).sum(axis=0)).all()


def _windows(model, long):
    from levcert.models.edit_effects import windows_of

    return windows_of(model.alphabet.encode(long), model.width)


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
def test_files_hold_what_was_not_decided(tmp_path, ending):
    rows = Certificates(
        [
            Certificate("a", "x", 1, 1.0, "auto", "proved", undecided="too long for the exact search (9 symbols)"),
            Certificate("b", "x", 1, 1.0, "auto", "proved"),
            Certificate("c", "x", 1, 1.0, "auto", "proved", upper=2, counterexample="d", undecided="closed after all"),
        ]
    )
    rows.save(tmp_path / f"rows.{ending}")
    read = Certificates.read(tmp_path / f"rows.{ending}")
    assert read == rows
    assert [row.undecided for row in read] == ["too long for the exact search (9 symbols)", None, None]
