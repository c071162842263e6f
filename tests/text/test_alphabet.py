import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from levcert import Alphabet, InputError, levenshtein
from levcert.text.alphabet import PADDING
from levcert.text.folding import lower

ALL_UNICODE = st.text(st.characters(), max_size=30)  # lone surrogates among them
ALPHABETS = st.builds(
    Alphabet,
    st.text(st.sampled_from("abcxyz äßσ€İ日😀"), min_size=1, max_size=8).map(lambda s: "".join(dict.fromkeys(s))),
    fold=st.sampled_from(["none", "case"]),
    unknown=st.sampled_from(["drop", "symbol"]),
) | st.builds(
    Alphabet,
    st.sampled_from(["a", "abc", "xyb ", "日 €z"]),
    fold=st.sampled_from(["lookalikes", "leet", "none"]),
    unknown=st.sampled_from(["drop", "symbol"]),
)


def slow_encode(alphabet: Alphabet, text: str) -> list[int]:
    """The obvious twin: a dictionary and a loop."""
    id_of = {symbol: number for number, symbol in enumerate(alphabet.symbols, 1)}
    ids = []
    for character in text:
        character = alphabet.fold(character)
        if character in id_of:
            ids.append(id_of[character])
        elif character and alphabet.unknown == "symbol":
            ids.append(alphabet.size)
    return ids


@given(ALPHABETS, st.lists(ALL_UNICODE, max_size=5))
def test_encoding_is_the_dictionary_loop(alphabet, texts):
    encoded = alphabet.encode_many(texts)
    assert [list(ids) for ids in encoded] == [slow_encode(alphabet, text) for text in texts]
    assert encoded.ids.dtype == np.int32
    assert list(encoded.lengths) == [len(ids) for ids in encoded]


@given(ALPHABETS, st.lists(st.text("abcABCxyz äßσΣ€İ日😀q"), max_size=5))
def test_encoding_is_the_dictionary_loop_on_near_texts(alphabet, texts):
    assert [list(ids) for ids in alphabet.encode_many(texts)] == [slow_encode(alphabet, text) for text in texts]


@given(ALPHABETS, st.text("abcABCxyzİ€q ", max_size=12), st.text("abcABCxyzİ€q ", max_size=12))
def test_theorem_encoding_never_increases_the_distance(alphabet, a, b):
    ids = [list(alphabet.encode(text)) for text in (a, b)]
    assert levenshtein(*ids) <= levenshtein(a, b)


@given(ALPHABETS, st.data())
def test_decode_is_inverse(alphabet, data):
    ids = data.draw(st.lists(st.integers(1, alphabet.size)))
    assert list(alphabet.encode(alphabet.decode(ids))) == ids


@given(ALPHABETS, ALL_UNICODE)
def test_positions_say_where_ids_came_from(alphabet, text):
    positions = alphabet.positions(text)
    ids = alphabet.encode(text)
    assert len(positions) == len(ids)
    for position, id_ in zip(positions, ids, strict=True):
        assert list(alphabet.encode(text[position])) == [id_]


def test_folding_keeps_length_for_all_of_unicode():
    for point in range(sys.maxunicode + 1):
        folded = lower(chr(point))
        assert len(folded) == 1
        assert lower(folded) == folded


def test_the_dotted_capital_i_is_left_alone():
    assert len("İ".lower()) == 2
    assert lower("İ") == "İ"
    assert list(Alphabet("i").encode("İI")) == [1]


@given(st.binary(max_size=40))
def test_bytes_are_their_values_plus_one(text):
    alphabet = Alphabet.bytes()
    assert list(alphabet.encode(text)) == [byte + 1 for byte in text]
    assert alphabet.decode(alphabet.encode(text)) == text
    assert list(alphabet.positions(text)) == list(range(len(text)))


def test_bytes_read_str_as_utf8():
    assert list(Alphabet.bytes().encode("é")) == [0xC3 + 1, 0xA9 + 1]
    assert list(Alphabet.bytes().encode("\udcff")) == [0xFF + 1]
    with pytest.raises(InputError, match="lone surrogate"):
        Alphabet.bytes().encode("\ud800")


def test_from_corpus_counts_folded_characters_in_code_point_order():
    assert Alphabet.from_corpus(["Aab", "ba", "c"]).symbols == "abc"
    assert Alphabet.from_corpus(["Aab", "ba", "c"], minimum_count=2).symbols == "ab"
    assert Alphabet.from_corpus(["Aa"], fold="none").symbols == "Aa"


def test_the_unknown_symbol_has_the_last_id_and_a_character_of_its_own():
    alphabet = Alphabet("ab", unknown="symbol")
    assert alphabet.size == 3
    assert list(alphabet.encode("aXb")) == [1, 3, 2]
    assert alphabet.symbol(3) == "\ufffd"
    shadowed = Alphabet("\ufffd", unknown="symbol")
    assert list(shadowed.encode(shadowed.symbol(2))) == [2]


@given(ALPHABETS)
def test_dict_round_trip(alphabet):
    assert Alphabet.from_dict(alphabet.to_dict()) == alphabet


def test_bytes_dict_round_trip():
    assert Alphabet.from_dict(Alphabet.bytes().to_dict()) == Alphabet.bytes()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Alphabet(""), "at least one symbol"),
        (lambda: Alphabet("aba"), "twice"),
        (lambda: Alphabet("aA"), "twice"),
        (lambda: Alphabet(b"ab"), "one string"),
        (lambda: Alphabet("ab", unknown="keep"), "unknown must be drop or symbol"),
        (lambda: Alphabet("ab", kind="bytes"), "256 bytes"),
        (lambda: Alphabet.from_corpus([]), "No character"),
        (lambda: Alphabet.from_corpus([b"ab"]), "needs str texts"),
        (lambda: Alphabet("ab").encode(b"ab"), "type str, not bytes"),
        (lambda: Alphabet("ab").encode_many("ab"), r"write \[text\]"),
        (lambda: Alphabet.bytes().encode(7), "bytes or str"),
        (lambda: Alphabet("ab").decode([0]), "from 1 to 2"),
        (lambda: Alphabet("ab").symbol(3), "from 1 to 2"),
        (lambda: Alphabet.from_dict({"sort": "x"}), "not a stored alphabet"),
    ],
)
def test_refusals_say_why(make, message):
    with pytest.raises(InputError, match=message):
        make()


def test_no_texts_and_empty_texts():
    assert len(Alphabet("ab").encode_many([])) == 0
    assert [list(ids) for ids in Alphabet("ab").encode_many(["", "a", ""])] == [[], [1], []]
    assert PADDING not in Alphabet("ab").encode("axb")


def test_encoded_texts_index_like_a_list():
    encoded = Alphabet("ab").encode_many(["a", "bb"])
    assert list(encoded[-1]) == [2, 2]
    with pytest.raises(IndexError):
        encoded[2]


def test_reprs_are_short():
    assert repr(Alphabet.bytes()) == "Alphabet.bytes()"
    assert len(repr(Alphabet("".join(map(chr, range(97, 900))), fold="none"))) < 120
