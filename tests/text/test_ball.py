import itertools
import random
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from levcert import Alphabet, Ball, InputError, levenshtein
from levcert.text.edits import OPERATIONS, Operation

TEXTS = st.text("abc", max_size=4)


def slow_ball(text, k, alphabet, operations=OPERATIONS):
    """The obvious twin: apply all single edits again and again."""
    ball = {text}
    for _ in range(k):
        for center in list(ball):
            for t in range(len(center) + 1):
                if Operation.INSERT in operations:
                    ball |= {center[:t] + c + center[t:] for c in alphabet}
                if t < len(center) and Operation.DELETE in operations:
                    ball.add(center[:t] + center[t + 1 :])
                if t < len(center) and Operation.SUBSTITUTE in operations:
                    ball |= {center[:t] + c + center[t + 1 :] for c in alphabet}
    return ball


@given(
    TEXTS,
    st.integers(0, 3),
    st.sampled_from(["a", "ab", "abd"]),
    st.sets(st.sampled_from(sorted(OPERATIONS))),
)
def test_the_ball_is_what_repeated_single_edits_reach(text, k, alphabet, operations):
    expected = slow_ball(text, k, alphabet, operations)
    ball = Ball(text, k, alphabet, operations)
    listed = list(ball)
    assert len(listed) == len(set(listed)) == ball.size
    assert set(listed) == expected


@given(TEXTS, st.integers(0, 3), st.text("abc", max_size=6))
def test_membership_is_levenshtein(text, k, candidate):
    assert (candidate in Ball(text, k, "abc")) == (levenshtein(text, candidate) <= k)


def test_the_size_at_distance_one_has_a_formula():
    text, V = "mississippi", 26
    runs = len(list(itertools.groupby(text)))
    m = len(text)
    expected = 1 + m * (V - 1) + (m * (V - 1) + V) + runs  # itself, substitutions, insertions, deletions
    assert Ball(text, 1, "abcdefghijklmnopqrstuvwxyz").size == expected


def test_large_balls_are_counted_without_being_listed():
    text = "the quick brown fox jumps over the lazy dog " * 5
    size = Ball(text, 3, Alphabet("abcdefghijklmnopqrstuvwxyz ")).size
    m, V = len(text), 27
    assert size > 10**9
    assert size <= (2 * m * V + V + m + 7) ** 3


@given(st.binary(max_size=3), st.integers(0, 2))
@settings(max_examples=25)
def test_balls_of_bytes(text, k):
    assert set(Ball(text, k, b"\x00\x01")) == {
        candidate.encode("latin-1") for candidate in slow_ball(text.decode("latin-1"), k, "\x00\x01")
    }


def test_an_alphabet_with_an_unknown_symbol_lets_the_attacker_insert_it():
    assert "a\ufffd" in Ball("a", 1, Alphabet("ab", unknown="symbol"))
    assert "a\ufffd" not in Ball("a", 1, Alphabet("ab"))


def test_samples_are_uniform():
    ball = Ball("aab", 1, "ab")
    rng = random.Random(1)
    draws = 200 * ball.size
    counts = Counter(ball.sample(rng) for _ in range(draws))
    assert set(counts) == set(ball)
    chi_square = sum((count - 200) ** 2 / 200 for count in counts.values())
    assert chi_square < 2.5 * ball.size  # far beyond the 99.9th percentile for this many cells


def test_samples_repeat_with_the_seed():
    ball = Ball("some text", 3, "abc")
    assert [ball.sample(random.Random(7)) for _ in range(3)] == [ball.sample(random.Random(7)) for _ in range(3)]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Ball("a", -1, "ab"), "at least 0"),
        (lambda: Ball("a", 1.5, "ab"), "must be an integer of at least 0"),
        (lambda: Ball(None, 1, "ab"), "str or bytes"),
        (lambda: Ball("a", 1, "ab", {"swap"}), "insert, delete or substitute"),
        (lambda: Ball("a", 1, b"ab"), "both str or both bytes"),
        (lambda: Ball("a", 1, Alphabet.bytes()), "both str or both bytes"),
    ],
)
def test_refusals_say_why(make, message):
    with pytest.raises(InputError, match=message):
        make()
