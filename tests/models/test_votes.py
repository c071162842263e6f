"""Bounded votes: the hash, the kernels against their slow twins, storage, pruning."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import levcert
from levcert import Alphabet, InputError, VoteModel
from levcert.models.training_record import TrainingRecord
from levcert.models.votes import UNIT, quantised
from levcert.models.window import WindowModel
from tests.slow_twins import VOTE_MODELS, random_votes, slow_edit_effects, slow_scores

ROWS = 2**12


def slow_row(symbols, rows):
    """The hash as docs/formats.md states it, in Python's whole numbers."""
    value = 0
    for symbol in symbols:
        value = (value * 0x9E3779B97F4A7C15 + int(symbol)) % 2**64
    if value == 0:
        return None
    mixed = (value ^ (value >> 32)) * 0xD6E8FEB86659FD93 % 2**64
    return mixed >> (64 - (rows.bit_length() - 1))


def slow_votes(model, ids):
    """Sum the votes of all n-grams, one by one."""
    total = np.zeros(model.classes)
    for table, n in zip(model.votes, model.orders, strict=True):
        padded = [0] * (n - 1) + list(ids) + [0] * (n - 1)
        for start in range(len(padded) - n + 1):
            row = slow_row(padded[start : start + n], len(table))
            if row is not None:
                total += table[row].astype(float) * UNIT
    return total


def test_the_hash_is_the_one_that_the_format_states():
    """These rows must never change: files rest on them."""
    from levcert.kernels.vote_scores import gram_rows

    found = np.empty(7, dtype=np.int64)
    gram_rows(np.array([1, 2, 3, 70_000, 5], dtype=np.int32), 3, 2**20, found)
    padded = (0, 0, 1, 2, 3, 70_000, 5, 0, 0)
    assert list(found) == [slow_row(padded[e : e + 3], 2**20) for e in range(7)]
    assert list(found[:3]) == [880271, 810200, 348789]


@given(st.data())
@settings(max_examples=100)
def test_scores_are_the_sum_of_all_n_grams(data):
    model = data.draw(VOTE_MODELS)
    texts = data.draw(st.lists(st.text(st.sampled_from(model.alphabet.symbols), max_size=12), min_size=1, max_size=4))
    for text, scores in zip(texts, model.scores(texts), strict=True):
        ids = model.alphabet.encode(text)
        assert (scores == slow_votes(model, ids)).all()
        assert (scores == slow_scores(model, ids)).all()
        assert (scores == sum(part.scores([text])[0] for part in model.parts)).all()


@given(st.data())
@settings(max_examples=60)
def test_edit_effects_are_those_of_whole_texts(data):
    model = data.draw(VOTE_MODELS)
    ids = model.alphabet.encode(data.draw(st.text(st.sampled_from(model.alphabet.symbols), max_size=8)))
    fast, slow = model.edit_effects(ids), slow_edit_effects(model, ids)
    for name in ("insertions", "deletions", "substitutions"):
        assert (getattr(fast, name) == getattr(slow, name)).all(), name


@given(st.data())
@settings(max_examples=60)
def test_losses_of_lone_windows_are_those_of_the_general_way(data):
    model = data.draw(VOTE_MODELS)
    ids = model.alphabet.encode(data.draw(st.text(st.sampled_from(model.alphabet.symbols), max_size=8)))
    symbols = model.alphabet.size
    insert = np.array(data.draw(st.lists(st.booleans(), min_size=symbols, max_size=symbols)), dtype=bool)
    replace = np.array(
        data.draw(st.lists(st.booleans(), min_size=symbols**2, max_size=symbols**2)), dtype=bool
    ).reshape(symbols, symbols)
    delete = np.array(data.draw(st.lists(st.booleans(), min_size=symbols, max_size=symbols)), dtype=bool)
    arguments = ids, data.draw(st.integers(0, model.classes - 1)), insert, delete, replace
    assert (model.lone_losses(*arguments) == WindowModel.lone_losses(model, *arguments)).all()


@given(st.data())
@settings(max_examples=40)
def test_the_range_holds_every_window_and_is_attained(data):
    model = data.draw(VOTE_MODELS)
    for part in model.parts:
        known = part.window_range
        rows = part.votes[0].astype(float) * UNIT
        margins = rows[:, :, None] - rows[:, None, :]
        assert (np.minimum(margins.min(axis=0), 0) == known.low).all()
        assert (np.maximum(margins.max(axis=0), 0) == known.high).all()


@pytest.mark.parametrize("share", [1.0, 0.05])
def test_a_model_is_the_same_after_saving_and_files_of_few_votes_are_small(tmp_path, share):
    model = random_votes(1, share=share)
    model.training = TrainingRecord.of({"note": "x", "config": {"epochs": 1}})
    path = tmp_path / "model.safetensors"
    model.save(path)
    loaded = levcert.load(path)
    assert (loaded.votes == model.votes).all()
    assert (loaded.orders, loaded.labels, loaded.training) == (model.orders, model.labels, model.training)
    assert path.stat().st_size < (0.5 if share < 1 else 1.2) * model.votes.nbytes + 2000


def test_pruning_keeps_the_votes_that_differ_most():
    model = random_votes(2)
    small = model.pruned(0.25)
    kept = small.votes.any(axis=2)
    assert 0.2 < kept.mean() <= 0.25
    spread = np.ptp(model.votes.astype(int), axis=2)
    assert spread[kept].min() > spread[~kept].max() - 1
    assert (small.votes[kept] == model.votes[kept]).all()
    assert (model.pruned(1.0).votes == model.votes).all()


def test_votes_are_rounded_to_units():
    assert quantised([[-1.0, 0.0, 0.5, 1.0]]).tolist() == [[-127, 0, 64, 127]]
    for bad in ([1.5], [np.nan]):
        with pytest.raises(InputError, match="from −1 to 1"):
            quantised(bad)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"orders": [3, 2]}, "must be ascending, from 1"),
        ({"orders": [0, 2]}, "must be ascending, from 1"),
        ({"orders": [2, 3, 4]}, "2 tables of votes for 3 orders"),
        ({"orders": "ab"}, "must be integers"),
        ({"votes": np.zeros((2, ROWS, 2))}, "int8"),
        ({"votes": np.full((2, ROWS, 2), -128, dtype=np.int8)}, "−127"),
        ({"votes": np.zeros((2, ROWS - 1, 2), dtype=np.int8)}, "power of two"),
        ({"votes": np.zeros((2, 2**11, 2), dtype=np.int8)}, "2\\^12"),
        ({"labels": ["x"]}, "label"),
        ({"labels": ["x", "y", "z"]}, "3 labels"),
        ({"alphabet": "abc"}, "Alphabet"),
    ],
)
def test_what_cannot_be_a_model_is_refused_in_one_sentence(change, sentence):
    good = {"alphabet": Alphabet("abc"), "votes": np.zeros((2, ROWS, 2), dtype=np.int8), "orders": [2, 3]}
    with pytest.raises(InputError, match=sentence):
        VoteModel(**(good | change))


def test_a_damaged_file_is_refused(tmp_path):
    from levcert.models.model_file import Header, write_model

    path = tmp_path / "model.safetensors"
    header = Header("votes", Alphabet("ab"), ("x", "y"), {"orders": [2], "rows": ROWS})
    whole = np.zeros((ROWS, 2), dtype=np.int8)
    for tensors in (
        {"votes": whole[:10]},
        {"votes": whole, "more": whole},
        {"votes": whole[:2], "used_rows": np.array([1, 1], dtype=np.uint32)},
        {"votes": whole[:2], "used_rows": np.array([1, ROWS], dtype=np.uint32)},
        {"votes": whole.astype(np.float32)},
    ):
        write_model(path, header, tensors)
        with pytest.raises(InputError):
            levcert.load(path)
    write_model(path, Header("votes", Alphabet("ab"), ("x", "y"), {"orders": [2]}), {"votes": whole})
    with pytest.raises(InputError, match="header"):
        levcert.load(path)


def test_bytes_are_symbols_too():
    model = VoteModel(Alphabet.bytes(), np.ones((1, ROWS, 2), dtype=np.int8), [4])
    assert model.scores([b"\x00\xff\x00", b""]).tolist() == [[6 * UNIT] * 2, [0.0, 0.0]]


def _stored(path, options, tensors, labels=("x", "y")):
    """Write a model file without its checks, as an attacker would."""
    from safetensors.numpy import save_file

    header = {
        "format_version": 1, "kind": "votes", "labels": list(labels), "options": options, "training": {},
        "alphabet": {"kind": "characters", "symbols": "ab", "folding": True, "unknown": "drop"},
    }  # fmt: skip
    save_file(tensors, path, metadata={"levcert": json.dumps(header)})


@pytest.mark.parametrize(
    ("options", "tensors", "message"),
    [
        ({"orders": list(range(1, 33)), "rows": 2**24}, {}, "may ask for 67,108,864"),
        ({"orders": [2], "rows": True}, {}, "lacks the orders or the rows"),
        ({"orders": [True], "rows": 4096}, {}, "must be integers"),
        ({"orders": [2], "rows": 4096}, {"used_rows": np.zeros(2, np.uint32)}, "occur twice"),
        ({"orders": [2], "rows": 4096}, {"used_rows": np.array([0, 4096], np.uint32)}, "outside the table"),
        ({"orders": [2], "rows": 4096}, {"used_rows": np.array([0, -1], np.int64)}, "outside the table"),
        ({"orders": [2], "rows": 4096}, {"used_rows": np.array([0, 2**64 - 1], np.uint64)}, "outside the table"),
        ({"orders": [2], "rows": 4096}, {"used_rows": np.array([0, 0.5])}, "outside the table"),
        ({"orders": [2], "rows": 4096}, {"votes": np.ones((2, 2))}, "do not fit"),
    ],
)
def test_hostile_tables_are_refused_before_they_take_memory(tmp_path, options, tensors, message):
    path = tmp_path / "m.safetensors"
    few = {"votes": np.ones((2, 2), np.int8), "used_rows": np.arange(2, dtype=np.uint32)}
    _stored(path, options, few | tensors)
    with pytest.raises(InputError, match=message):
        levcert.load(path)


def test_a_model_with_a_large_table_and_few_votes_can_be_read_again(tmp_path, monkeypatch):
    """Where leaving out rows would make the file too small to be expanded, they are written."""
    monkeypatch.setattr("levcert.models.model_file._SMALLEST_ROOM", 100)
    votes = np.zeros((1, 4096, 2), np.int8)
    votes[0, 5] = 3, 4
    model = VoteModel(Alphabet("ab"), votes, [2])
    model.save(tmp_path / "m.safetensors")
    assert (levcert.load(tmp_path / "m.safetensors").votes == model.votes).all()


@given(arrays(np.int8, (2, 4096, 3), elements=st.integers(-127, 127), fill=st.just(0)))
@settings(max_examples=20, deadline=None)
def test_the_range_of_a_window_is_that_of_all_rows(votes):
    """The slow twin: every pair of classes and every row."""
    found = VoteModel(Alphabet("ab"), votes, [1, 2]).window_range
    for y in range(3):
        for other in range(3):
            margins = votes[..., y].astype(int) - votes[..., other]
            assert found.low[y, other] == sum(min(0, table.min()) for table in margins) / 128
            assert found.high[y, other] == sum(max(0, table.max()) for table in margins) / 128
