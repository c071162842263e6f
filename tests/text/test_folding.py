"""Folds: one character for one, at rest after one step, and changes that leave the ids as they are."""

import runpy
import sys
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import levcert
from levcert import Alphabet, InputError, levenshtein
from levcert.text.folding import FOLDS, NOTHING, Fold, left_out

TABLES = ["lookalikes", "leet", "letters"]
FOLD = Fold.named("lookalikes")
GENERATOR = Path(levcert.__file__).parents[2] / "tools" / "make_lookalikes.py"
EVERYTHING = [chr(point) for point in range(sys.maxunicode + 1)]
needs_same_unicode = pytest.mark.skipif(
    not FOLD.version.startswith(f"unicode {unicodedata.unidata_version},"),
    reason="the table was made with another version of Unicode",
)
KEPT_APART = {frozenset(pair) for pair in left_out()}


@pytest.mark.parametrize("name", FOLDS)
def test_a_character_becomes_one_or_none_and_rests(name):
    fold = Fold.named(name)
    for character in EVERYTHING:
        folded = fold(character)
        assert len(folded) <= 1
        assert not folded or fold(folded) == folded


@pytest.mark.parametrize("name", FOLDS)
def test_the_columns_are_the_characters_one_by_one(name):
    fold = Fold.named(name)
    changed = {a: b for a, b in zip(*(column.tolist() for column in fold.points), strict=True)}  # noqa: C416
    for point, character in enumerate(EVERYTHING):
        target = changed.get(point, point)
        assert fold(character) == ("" if target == NOTHING else chr(target))


@pytest.mark.parametrize(
    ("typed", "plain"),
    [
        ("VІАGRА", "vlagra"),  # Cyrillic І and А; i and l look alike as capitals and digits
        ("v1agra", "vlagra"),
        ("ｖｉａｇｒａ", "vlagra"),
        ("𝐯𝒾𝕒𝔤𝗋𝚊", "vlagra"),
        ("ⓥⓘⓐⓖⓡⓐ", "vlagra"),
        ("🅥🅘🅐🅖🅡🅐", "vlagra"),
        ("ᴠɪᴀɢʀᴀ", "vlagra"),
        ("v\u200bi\u00ada\u2060g\ufe0fr\U000e0061a\u0336", "vlagra"),
        ("víägrå", "vlagra"),
        ("FREE\u00a0\u3000\tM0NEY", "free   money"),
        ("Straße", "strabe"),
    ],
)
def test_disguises(typed, plain):
    assert "".join(map(FOLD, typed)) == plain


def test_the_other_folds():
    assert "".join(map(Fold.named("leet"), "V14GR4 $@L3!")) == "vlagra salel"
    assert "".join(map(Fold.named("letters"), "v.i a-g*r\n4!")) == "vlagr4"
    assert "".join(map(Fold.named("none"), "Aа")) == "Aа"
    assert Fold.named(None).name == "none"


def test_what_is_two_characters_is_left_alone():
    """rn for m, ﬁ for fi, ½ for 1/2: a fold of these would not be about one character."""
    assert FOLD("m") == "m"
    assert FOLD("\N{LATIN SMALL LIGATURE FI}") == "\N{LATIN SMALL LIGATURE FI}"
    assert FOLD("½") == "½"


@needs_same_unicode
def test_everything_promised_has_the_same_fold():
    """Case, compatibility forms, accents, white space; marks and format characters are dropped.  All of Unicode."""
    for character in EVERYTHING:
        folded, category = FOLD(character), unicodedata.category(character)
        if category in ("Mn", "Me", "Cf"):
            assert folded == ""
            continue
        if character.isspace():
            assert folded == " "
        simple = unicodedata.normalize("NFKD", character)
        simple = "".join(c for c in simple if FOLD(c)) if simple[0] != " " else ""
        others = [*(c for c in (character.lower(), character.upper()) if len(c) == 1)]
        others += [simple] if len(simple) == 1 else []
        for other in others:
            assert FOLD(other) == folded or _kept_apart(character, other), (character, other)


def _kept_apart(a, b):
    """Pairs are listed as they were joined: without accents."""
    bare = [{c, *unicodedata.normalize("NFKD", c)[:1]} for c in (a, b)]
    return any(frozenset((x, y)) in KEPT_APART for x in bare[0] for y in bare[1])


def test_the_confusables_of_unicode_have_the_same_fold():
    confusables = pytest.importorskip("confusable_homoglyphs.confusables").confusables_data
    checked = 0
    for character, others in confusables.items():
        for other in (entry["c"] for entry in others):
            a, b = ("".join(c for c in text if FOLD(c)) for text in (character, other))
            if len(a) == len(b) == 1:
                checked += 1
                assert FOLD(a) == FOLD(b) or frozenset((a, b)) in KEPT_APART, (a, b)
    assert checked > 9_000


def test_few_pairs_are_kept_apart_and_none_of_ascii():
    assert len(KEPT_APART) < 80
    assert all(FOLD(a) != FOLD(b) for a, b in map(tuple, KEPT_APART))
    for capital in "ABCDEFGHIJKLMNOPQRSTUVWXYZ":
        assert FOLD(capital) == FOLD(capital.lower())


@needs_same_unicode
def test_the_table_is_what_the_tool_makes(tmp_path):
    pytest.importorskip("confusable_homoglyphs")
    if not GENERATOR.exists():
        pytest.skip("tools/ is not part of an installed package")
    main = runpy.run_path(str(GENERATOR))["main"]
    main.__globals__["TABLE"] = tmp_path / "made.txt"
    main()
    made = (tmp_path / "made.txt").read_bytes()
    assert made == (Path(levcert.__file__).parent / "text" / "lookalikes.txt").read_bytes()


SAME = {name: {} for name in TABLES}  # fold → all characters that have it
for _name in TABLES:
    for _source, _target in zip(*(column.tolist() for column in Fold.named(_name).points), strict=True):
        SAME[_name].setdefault("" if _target == NOTHING else chr(_target), []).append(chr(_source))


@st.composite
def disguises(draw, name, text):
    """The text after free changes: characters with the same fold, and characters that fold to nothing, anywhere."""
    fold, typed = Fold.named(name), ""
    dropped = st.text(st.sampled_from(SAME[name][""]), max_size=2)
    for character in text:
        folded = fold(character)
        typed += draw(dropped)
        typed += draw(st.sampled_from([folded, character, *SAME[name].get(folded, [])])) if folded else ""
    return typed + draw(dropped)


@given(st.data(), st.sampled_from(TABLES), st.sampled_from(["drop", "symbol"]))
def test_theorem_free_changes_leave_the_ids_as_they_are(data, name, unknown):
    alphabet = Alphabet("ablosz", fold=name, unknown=unknown)
    text = data.draw(st.text(st.sampled_from("abl1IoO0sS$ .Жé\u200b日"), max_size=8))
    typed = data.draw(disguises(name, text))
    assert list(alphabet.encode(typed)) == list(alphabet.encode(text))


@given(st.data(), st.sampled_from(TABLES), st.sampled_from(["drop", "symbol"]))
def test_theorem_folding_never_increases_the_distance(data, name, unknown):
    alphabet = Alphabet("ablosz", fold=name, unknown=unknown)
    characters = st.sampled_from("abl1IoO0sS$ .Жé\u200b日а")
    a, b = (data.draw(st.text(characters, max_size=10)) for _ in range(2))
    assert levenshtein(*(list(alphabet.encode(text)) for text in (a, b))) <= levenshtein(a, b)


@pytest.mark.parametrize("name", FOLDS)
def test_a_stored_alphabet_comes_back(name):
    alphabet = Alphabet("abc", fold=name)
    assert Alphabet.from_dict(alphabet.to_dict()) == alphabet


@pytest.mark.parametrize(
    "changes",
    ["61", "61:zz", "61:110000", "110000:61", "61:62-61", "61:62 62", "61:62\n63:61", "61:0-10ffff", "-2:61"],
)
def test_a_damaged_table_is_refused(changes):
    with pytest.raises(InputError, match="damaged"):
        Fold.from_dict({"name": "lookalikes", "version": "", "changes": changes})
    with pytest.raises(InputError, match="damaged"):
        Fold.from_dict({"name": "lookalikes", "version": "", "changes": None})


def test_symbols_that_a_fold_drops_or_joins_are_refused():
    with pytest.raises(InputError, match="drops the symbol"):
        Alphabet("ab\u0301", fold="lookalikes")
    with pytest.raises(InputError, match="twice"):
        Alphabet("il", fold="lookalikes")
    with pytest.raises(InputError, match="must be one of none, case, lookalikes"):
        Alphabet("il", fold="loookalikes")
    assert Alphabet.from_corpus(["Ill 1\u0301"], fold="lookalikes").symbols == " l"
