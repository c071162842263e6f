"""What scikit-learn's vectorizers make of a text before they count n-grams, character by character.

``lowercase`` and ``strip_accents`` replace each character by a string of its own, usually of one character: "İ" becomes
two, a combining accent none.  So one edit of a text replaces one short string by another.  There is one exception,
the capital sigma: "Σ" becomes "ς" at the end of a word and "σ" elsewhere, so an edit next to it may change it.

Then ``char`` collapses runs of two or more white-space characters into one space, and ``char_wb`` puts exactly one
space between and around words.  So one edit may merge two runs or split one; a run is always replaced as a whole.

Ids: 1 … n for the characters in the vocabulary, then one for all others and one for all other white space.  No n-gram
with one of the last two has a weight, so characters that share an id are interchangeable.
"""

from __future__ import annotations

import re
import sys
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Final, Literal

import numpy as np
import numpy.typing as npt

from levcert.errors import InputError
from levcert.text.alphabet import Ids

Accents = Literal["unicode", "ascii"]
Expansion = tuple[int, ...]

SIGMA: Final = "Σ"
_RUN: Final = re.compile(r"\s\s+")
_CODE_POINTS: Final = sys.maxunicode + 1
_ACCENT: Final = "\N{COMBINING ACUTE ACCENT}"  # without accents, nothing
_VISIBLE: Final = "\N{REPLACEMENT CHARACTER}\N{WHITE SQUARE}\N{SECTION SIGN}\N{EURO SIGN}"


@dataclass(frozen=True)
class FrontEnd:
    """``characters`` are those of the vocabulary; the other fields are named as in scikit-learn."""

    characters: str
    lowercase: bool = True
    strip_accents: Accents | None = None
    word_boundaries: bool = False  # analyzer="char_wb"

    @property
    def unknown(self) -> int:
        """The id of every character outside the vocabulary that is not white space."""
        return len(self.characters) + 1

    @property
    def unknown_space(self) -> int:
        """The id of every white-space character outside the vocabulary."""
        return len(self.characters) + 2

    @property
    def size(self) -> int:
        return len(self.characters) + 2

    @cached_property
    def space(self) -> int:
        """The id of the space that stands for a run of white space."""
        return int(self._ids[ord(" ")])

    @cached_property
    def is_space(self) -> npt.NDArray[np.bool_]:
        """Whether an id is white space; ids count from 1."""
        flags = [False, *(character.isspace() for character in self.characters), False, True]
        return np.array(flags, dtype=np.bool_)

    def seen(self, text: str) -> str:
        """Return the text whose n-grams scikit-learn counts."""
        if not isinstance(text, str):
            raise InputError(f"An imported pipeline classifies texts of type str, not {type(text).__name__}.")
        text = self.folded(text)
        if not self.word_boundaries:
            return _RUN.sub(" ", text)
        words = " ".join(text.split())
        return f" {words} " if words else ""

    def folded(self, text: str) -> str:
        """Return the text in lower case and without accents, as far as the vectorizer was told to."""
        if self.lowercase:
            text = text.lower()
        if self.strip_accents is None or text.isascii():
            return text
        text = unicodedata.normalize("NFKD", text)
        if self.strip_accents == "ascii":
            return "".join(filter(str.isascii, text))
        return "".join(character for character in text if not unicodedata.combining(character))

    def encode_many(self, texts: Sequence[str]) -> tuple[Ids, npt.NDArray[np.int64]]:
        """Return the ids of what is seen of texts, one after the other, and where each begins."""
        seen = [self.seen(text) for text in texts]
        offsets = np.zeros(len(seen) + 1, dtype=np.int64)
        np.cumsum([len(text) for text in seen], out=offsets[1:])
        return self._ids[_code_points("".join(seen))], offsets

    def spread(self, text: str) -> tuple[Ids, npt.NDArray[np.int64]]:
        """Return the ids before white space is collapsed, and where each character's own ids begin.

        With word boundaries, one space stands before the first character and one after the last.
        """
        expansions = [self.expansion(character) for character in text]
        edge = (self.space,) if self.word_boundaries else ()
        starts = np.cumsum([len(edge), *map(len, expansions)], dtype=np.int64)
        joined = [*edge, *(id_ for expansion in expansions for id_ in expansion), *edge]
        return np.array(joined, dtype=np.int32), starts

    def expansion(self, character: str) -> Expansion:
        """Return the ids of one character; "Σ" as in the middle of a word."""
        if character in self._cache:
            return self._cache[character]
        found = tuple(self._ids[_code_points(self.folded(character))].tolist())
        if self.word_boundaries:
            found = tuple(self.space if self.is_space[id_] else id_ for id_ in found)
        self._cache[character] = found
        return found

    def depends_on_context(self, text: str) -> bool:
        """Say whether the text contains a capital sigma that the model tells apart by what surrounds it."""
        return self.lowercase and SIGMA in text and self.expansion("σ") != self.expansion("ς")

    @cached_property
    def typeable(self) -> dict[Expansion, str]:
        """For every string of ids that one typed character can become: a character that becomes it.

        "Σ" is left out: who can type it can type "σ" or "ς", whichever it would become, in its place.  Several unknown
        characters in a row score like one, so strings that differ only in their number are the same.
        """
        found: dict[Expansion, str] = {}
        changed = _changed_characters(self.lowercase, self.strip_accents is not None)
        for character in (*self.characters, *_VISIBLE, _ACCENT, *changed, *_spaces()):
            if character != SIGMA or not self.lowercase:
                found.setdefault(self.without_repeats(self.expansion(character)), character)
        if (self.unknown,) not in found:
            points = (chr(point) for point in range(_CODE_POINTS) if self.expansion(chr(point)) == (self.unknown,))
            unknown = next(points, None)  # with strip_accents="ascii" and all of ASCII known, there is none
            found |= {} if unknown is None else {(self.unknown,): unknown}
        return found

    def without_repeats(self, expansion: Expansion) -> Expansion:
        """Keep one of several unknown characters in a row."""
        return tuple(
            id_ for n, id_ in enumerate(expansion) if not (n and id_ == self.unknown and expansion[n - 1] == id_)
        )

    @cached_property
    def _ids(self) -> Ids:
        table = np.full(_CODE_POINTS, self.unknown, dtype=np.int32)
        table[[ord(character) for character in _spaces()]] = self.unknown_space
        table[[ord(character) for character in self.characters]] = np.arange(1, len(self.characters) + 1)
        return table

    @cached_property
    def _cache(self) -> dict[str, Expansion]:
        return {}


@cache
def _changed_characters(lowercase: bool, decompose: bool) -> str:
    """Return every character that lower case or its decomposition changes.

    Accents are removed after that: of the characters that do not change, all that vanish are like any other of them.
    """

    def changed(text: str) -> str:
        text = text.lower() if lowercase else text
        return unicodedata.normalize("NFKD", text) if decompose else text

    found = []
    for start in range(0, _CODE_POINTS, 256):
        block = "".join(map(chr, range(start, start + 256)))
        if changed(block) != block:
            found += [character for character in block if changed(character) != character]
    return "".join(found)


def _spaces() -> Iterator[str]:
    return (chr(point) for point in range(0x3001) if chr(point).isspace())


def _code_points(text: str) -> npt.NDArray[np.uint32]:
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
