from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from levcert import Alphabet, ConvModel
from levcert.certificates.difference import Part, describe, difference, excerpt, readable, visible
from tests.counting_model import counting_model

TEXTS = st.text("ab é\n", max_size=12)


def byte_model():
    one = np.ones((1, 1))
    return ConvModel(Alphabet.bytes(), np.ones((256, 1)), [np.ones((1, 1, 1))], np.concatenate([one, -one]))


@given(TEXTS, TEXTS)
def test_a_difference_gives_both_texts_back(source, target):
    parts = difference(source, target)
    assert "".join(part.text for part in parts if part.kind != "added") == source
    assert "".join(part.text for part in parts if part.kind != "removed") == target
    assert all(part.text for part in parts)
    assert all(a.kind != b.kind for a, b in pairwise(parts))


def test_a_run_of_edits_is_first_what_is_gone():
    assert difference("hello", "hexyo") == [
        Part("same", "he"), Part("removed", "ll"), Part("added", "xy"), Part("same", "o")
    ]  # fmt: skip


def test_bytes_and_broken_texts_can_be_shown():
    assert readable(b"caf\xc3\xa9 \xff") == "café \\xff"
    assert readable("a\ud800") == "a\\ud800"
    assert difference(b"\xff", b"") == [Part("removed", b"\xff")]
    assert [part.text for part in describe(byte_model(), b"\xff", b"a", 1).difference] == ["\\xff", "a"]


@given(TEXTS, TEXTS, st.integers(0, 3))
def test_an_excerpt_keeps_the_edits_and_what_is_near_them(source, target, around):
    parts = difference(source, target)
    shortened = excerpt(parts, around)
    assert [part.kind for part in shortened] == [part.kind for part in parts]
    for number, (short, part) in enumerate(zip(shortened, parts, strict=True)):
        before = around if number else 0
        after = around if number < len(parts) - 1 else 0
        if part.kind != "same" or len(parts) == 1 or len(part.text) <= before + after:
            assert short == part
        else:
            assert short.text == part.text[:before] + "…" + part.text[len(part.text) - after :]


def test_an_excerpt_of_bytes_is_cut_before_it_is_written_out():
    assert [part.text for part in excerpt(difference(b"\xff\xfe.a", b"\xff\xfe.b"), 2, readable)] == [
        "…\\xfe.", "a", "b"
    ]  # fmt: skip


def test_what_has_no_shape_is_named():
    assert visible("a b\n\t") == "a␣b⏎⇥"
    assert visible("\u200b\u0301é") == "U+200BU+0301é"


def test_a_counterexample_has_the_label_that_the_model_gives_it():
    found = describe(counting_model(), "ab1", "a21", 1)
    assert (found.label, found.distance) == ("digits", 1)
    assert [part.kind for part in found.difference] == ["same", "removed", "added", "same"]
