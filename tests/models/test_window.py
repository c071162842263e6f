import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from levcert import Alphabet, InputError
from levcert.models.class_labels import check_labels
from levcert.models.edit_effects import windows_of
from tests.slow_twins import AnyWindowModel, slow_edit_effects, slow_scores

MODELS = st.builds(
    AnyWindowModel,
    st.sampled_from([Alphabet("ab"), Alphabet("abc", unknown="symbol")]),
    st.sampled_from([("x", "y"), ("x", "y", "z")]),
    st.integers(1, 4),
    st.integers(0, 5),
)
IDS = st.lists(st.integers(1, 2), max_size=6).map(lambda ids: np.array(ids, dtype=np.int32))


@given(MODELS, st.lists(IDS, max_size=4))
@settings(max_examples=50)
def test_scores_are_sums_over_all_windows(model, texts):
    scores = model.scores([model.alphabet.decode(ids) for ids in texts])
    assert scores.shape == (len(texts), model.classes)
    for row, ids in zip(scores, texts, strict=True):
        np.testing.assert_array_equal(row, slow_scores(model, ids))


@given(MODELS, IDS)
@settings(max_examples=50)
def test_edit_effects_are_differences_of_whole_scores(model, ids):
    fast, slow = model.edit_effects(ids), slow_edit_effects(model, ids)
    np.testing.assert_array_equal(fast.insertions, slow.insertions)
    np.testing.assert_array_equal(fast.deletions, slow.deletions)
    np.testing.assert_array_equal(fast.substitutions, slow.substitutions)


def test_edit_effects_in_parts_are_the_same(monkeypatch):
    model = AnyWindowModel(Alphabet("ab"), ("x", "y"), 3)
    ids = np.array([1, 2, 2, 1, 1], dtype=np.int32)
    whole = model.edit_effects(ids)
    monkeypatch.setattr("levcert.models.edit_effects._WINDOW_IDS_AT_ONCE", 1)
    np.testing.assert_array_equal(model.edit_effects(ids).insertions, whole.insertions)


@given(IDS, st.integers(1, 5))
def test_every_window_holds_a_character(ids, width):
    windows = windows_of(ids, width)
    assert len(windows) == (len(ids) + width - 1 if len(ids) else 0)
    assert (windows != 0).any(axis=1).all()


def test_predict_gives_label_names_and_the_first_of_equals():
    model = AnyWindowModel(Alphabet("ab"), ("x", "y"), 2)
    predicted = model.predict(["", "ab", "ba"])
    best = model.scores(["", "ab", "ba"]).argmax(axis=1)
    assert list(predicted) == [model.labels[i] for i in best]
    assert predicted[0] == "x"


@pytest.mark.parametrize("labels", [("only",), ("x", "x"), ("x", 1), ("x", "x\0"), 5, [[], []]])
def test_labels_are_two_different_strings(labels):
    with pytest.raises(InputError, match="at least two"):
        check_labels(labels)


def test_a_window_has_a_character():
    with pytest.raises(InputError, match="at least one"):
        windows_of(np.array([1], dtype=np.int32), 0)
