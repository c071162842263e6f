from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from levcert.certificates.difference import Part, describe, difference, readable, visible
from tests.counting_model import counting_model

TEXTS = st.text("ab é\n", max_size=12)


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
    assert difference(b"\xff", b"")[0].text == "\\xff"


def test_what_has_no_shape_is_named():
    assert visible("a b\n\t") == "a␣b⏎⇥"
    assert visible("\u200b\u0301é") == "U+200BU+0301é"


def test_a_counterexample_has_the_label_that_the_model_gives_it():
    found = describe(counting_model(), "ab1", "a21", 1)
    assert (found.label, found.distance) == ("digits", 1)
    assert [part.kind for part in found.difference] == ["same", "removed", "added", "same"]
