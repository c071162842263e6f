"""Texts and edits on the screen."""

import re

from hypothesis import given
from hypothesis import strategies as st

from levcert.cli.console import printable, shown_edits

PLAIN = st.text("abc d", max_size=30)


def both_texts(marked):
    """Return the two texts that a line with [-deletions-] and {+insertions+} stands for."""
    before = re.sub(r"\{\+.*?\+\}", "", re.sub(r"\[-(.*?)-\]", r"\1", marked))
    after = re.sub(r"\[-.*?-\]", "", re.sub(r"\{\+(.*?)\+\}", r"\1", marked))
    return before, after


@given(PLAIN, PLAIN)
def test_marks_stand_for_both_texts(text, other):
    assert both_texts(shown_edits(text, other, context=30).plain) == (text, other)
    shown = shown_edits(text.encode(), other.encode(), context=30).plain
    assert both_texts(shown) == (text, other)


def test_far_from_edits_texts_are_cut():
    text = "a" * 50 + "x" + "b" * 50 + "y" + "c" * 50
    other = text.replace("x", "").replace("y", "z")
    assert shown_edits(text, other, context=3).plain == "…aaa[-x-]bbb…bbb[-y-]{+z+}ccc…"
    assert shown_edits(text, text, context=3).plain == text


def test_nothing_in_a_text_commands_the_terminal():
    assert printable("a\x1b[2J\tb\u202e\n") == r"a\x1b[2J\tb\u202e\n"
    assert printable(b"a\x00\xff") == r"a\x00\xff"
    assert printable("größer €") == "größer €"
    assert shown_edits("a", "a\x1b").plain == r"a{+\x1b+}"
