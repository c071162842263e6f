import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from levcert import Ball, Edit, InputError, Threat, apply_edits, edit_script, levenshtein
from levcert.text.edits import OPERATIONS

TEXTS = st.text("abç", max_size=10)


@given(TEXTS, TEXTS)
def test_the_script_between_two_texts_is_shortest_and_leads_there(a, b):
    script = edit_script(a, b)
    assert apply_edits(a, script) == b
    assert len(script) == levenshtein(a, b)


@given(st.binary(max_size=10), st.binary(max_size=10))
def test_scripts_between_bytes(a, b):
    script = edit_script(a, b)
    assert apply_edits(a, script) == b
    assert len(script) == levenshtein(a, b)


def test_edits_read_well():
    assert repr(Edit("insert", 17, "x")) == "insert 'x' before 17"
    assert repr(Edit("delete", 3)) == "delete at 3"
    assert repr(Edit("substitute", 0, "\n")) == r"substitute '\n' at 0"


def test_people_count_from_1_as_on_the_page():
    assert str(Edit("insert", 0, "x")) == "insert 'x' at the start"
    assert str(Edit("insert", 17, "x")) == "insert 'x' after character 17"
    assert str(Edit("delete", 3)) == "delete character 4"
    assert str(Edit("substitute", 0, "\n")) == r"substitute '\n' for character 1"


def test_positions_are_those_of_the_unedited_text():
    edits = [Edit("insert", 0, "x"), Edit("delete", 1), Edit("substitute", 2, "y"), Edit("insert", 3, "z")]
    assert apply_edits("abc", edits) == "xayz"
    assert apply_edits("abc", reversed(edits)) == "xayz"


def test_insertions_before_one_position_keep_their_order():
    assert apply_edits("ab", [Edit("insert", 1, "x"), Edit("insert", 1, "y"), Edit("delete", 1)]) == "axy"


def test_deleting_either_of_two_equal_neighbours_gives_the_same_text():
    assert apply_edits("baab", [Edit("delete", 1)]) == apply_edits("baab", [Edit("delete", 2)]) == "bab"


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Edit("swap", 1, "x"), "insert, delete or substitute, not 'swap'"),
        (lambda: Edit("insert", 1), "need a symbol"),
        (lambda: Edit("delete", 1, "x"), "deletions must not have one"),
        (lambda: Edit("insert", 1, "xy"), "one symbol"),
        (lambda: Edit("insert", -1, "x"), "count from 0"),
        (lambda: apply_edits("ab", [Edit("delete", 2)]), "outside"),
        (lambda: apply_edits("ab", [Edit("insert", 3, "x")]), "outside"),
        (lambda: apply_edits("ab", [Edit("delete", 1), Edit("substitute", 1, "x")]), "Two edits"),
        (lambda: apply_edits(b"ab", [Edit("insert", 1, "x")]), "does not fit"),
    ],
)
def test_refusals_say_why(call, message):
    with pytest.raises(InputError, match=message):
        call()


@settings(max_examples=60)
@given(st.text("abç", max_size=5), st.text("abç", max_size=5), st.sets(st.sampled_from(sorted(OPERATIONS)), min_size=1))
def test_scripts_within_a_threat_use_allowed_operations_only(a, b, operations):
    script = Threat(frozenset(operations)).script(a, b, 10)
    if script is None:
        assert b not in Ball(a, max(len(a), len(b)), "abç", operations)
        return
    assert apply_edits(a, script) == b
    assert {edit.operation for edit in script} <= operations
    assert b in Ball(a, len(script), "abç", operations)
    assert not script or b not in Ball(a, len(script) - 1, "abç", operations)
