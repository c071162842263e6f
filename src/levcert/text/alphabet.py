"""Characters or bytes ↔ ids, and why a proof over ids is a proof over all of Unicode.

Id 0 is the padding beyond both ends of a text; the symbols have the ids 1 … ``size``.

**Why certificates over ids hold for every text.**  Encoding maps each character, independently of the others,
to one id or to nothing.  So one edit of the text is at most one edit of the ids: replacing a known
character by a dropped one is a deletion, the reverse an insertion, and dropped by dropped is not an edit.
Hence ``levenshtein(encode(P), encode(Q)) <= levenshtein(P, Q)`` for all Unicode texts P and Q, and what
is proved for all id sequences within k edits holds for all texts within k edits.  (A byte model is about bytes:
a str is turned into its UTF-8 bytes first, and edits are edits of bytes.)  An attacker may insert any
character at all: a dropped one does not change the ids, and one mapped to the unknown symbol is among the
``size`` symbols that every certifier and attack considers.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import islice
from typing import Any, Final, Literal

import numpy as np
import numpy.typing as npt

from levcert.errors import InputError

Text = str | bytes
Ids = npt.NDArray[np.int32]

PADDING: Final = 0
_CODE_POINTS: Final = sys.maxunicode + 1
_VISIBLE_OUTSIDERS: Final = "\N{REPLACEMENT CHARACTER}\N{EURO SIGN}\N{SECTION SIGN}\N{WHITE SQUARE}"


def fold(character: str) -> str:
    """Lower-case a character if that gives one character, and leave it unchanged otherwise ("İ").

    ``str.lower`` on a whole text may change its length, and with it the distance between two texts.
    """
    lower = character.lower()
    return lower if len(lower) == 1 else character


@dataclass(frozen=True)
class EncodedTexts:
    """Texts as one run of ids without padding: text i is ``ids[offsets[i]:offsets[i + 1]]``."""

    ids: Ids
    offsets: npt.NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, index: int) -> Ids:
        if not -len(self) <= index < len(self):
            raise IndexError(f"text {index} of {len(self)}")
        index %= len(self)
        return self.ids[self.offsets[index] : self.offsets[index + 1]]

    def __iter__(self) -> Iterator[Ids]:
        return (self[index] for index in range(len(self)))

    @classmethod
    def single(cls, ids: Ids) -> EncodedTexts:
        """Return one text that is already ids."""
        return cls(ids, np.array([0, len(ids)], dtype=np.int64))

    def part(self, first: int, last: int) -> EncodedTexts:
        """Return the texts first … last − 1, without copying their ids."""
        begin, end = self.offsets[first], self.offsets[last]
        return EncodedTexts(self.ids[begin:end], self.offsets[first : last + 1] - begin)

    def take(self, rows: npt.NDArray[np.integer[Any]]) -> EncodedTexts:
        """Return the texts with these numbers, one after the other."""
        lengths = self.offsets[rows + 1] - self.offsets[rows]
        offsets = np.concatenate([[0], np.cumsum(lengths)])
        source = np.arange(offsets[-1]) + np.repeat(self.offsets[rows] - offsets[:-1], lengths)
        return EncodedTexts(self.ids[source], offsets)

    @property
    def lengths(self) -> npt.NDArray[np.int64]:
        return np.diff(self.offsets)


@dataclass(frozen=True)
class Alphabet:
    """The symbols that a model can tell apart.

    ``Alphabet("abc ")`` has four characters, ``Alphabet.bytes()`` the 256 bytes, and
    ``Alphabet.from_corpus(texts)`` every character of a training corpus.

    ``folding`` lower-cases one character at a time.  ``unknown`` says what happens to a
    character outside the alphabet: it is dropped (as in the paper), or mapped to one unknown symbol, which
    then has the last id.  The module's docstring explains why both keep certificates true for all of Unicode.

    Examples:
        >>> letters = levcert.Alphabet.from_corpus(["abba", "cab"])
        >>> letters.symbols, letters.encode("cab!").tolist()
        ('abc', [3, 1, 2])
    """

    symbols: str
    folding: bool = True
    unknown: Literal["drop", "symbol"] = "drop"
    kind: Literal["characters", "bytes"] = "characters"

    def __post_init__(self) -> None:
        if not isinstance(self.symbols, str):
            raise InputError("Give the symbols of an alphabet as one string; for bytes, use Alphabet.bytes().")
        if not isinstance(self.folding, bool):
            raise InputError(f"folding must be True or False, not {self.folding!r}.")
        if self.kind not in ("characters", "bytes") or self.unknown not in ("drop", "symbol"):
            raise InputError(
                f"kind must be characters or bytes and unknown must be drop or symbol, "
                f"not kind={self.kind!r} and unknown={self.unknown!r}."
            )
        if self.kind == "bytes" and (self.symbols, self.folding, self.unknown) != (_BYTES, False, "drop"):
            raise InputError("A byte alphabet has all 256 bytes and no folding; use Alphabet.bytes().")
        if not self.symbols:
            raise InputError("An alphabet needs at least one symbol.")
        if self.folding:
            object.__setattr__(self, "symbols", "".join(map(fold, self.symbols)))
        if len(set(self.symbols)) < len(self.symbols):
            twice = Counter(self.symbols).most_common(1)[0][0]
            raise InputError(f"The symbol {twice!r} is in the alphabet twice (after folding); remove one.")

    @classmethod
    def bytes(cls) -> Alphabet:
        """All 256 bytes, for files, URLs and malware; a ``str`` is then read as its UTF-8 bytes."""
        return cls(_BYTES, folding=False, kind="bytes")

    @classmethod
    def from_corpus(
        cls,
        texts: Iterable[str],
        *,
        minimum_count: int = 1,
        folding: bool = True,
        unknown: Literal["drop", "symbol"] = "drop",
    ) -> Alphabet:
        """Every character seen at least ``minimum_count`` times (after folding), in code-point order."""
        counts = np.zeros(_CODE_POINTS, dtype=np.int64)
        texts = iter(texts)
        while chunk := list(islice(texts, 4096)):
            try:
                points = _code_points("".join(chunk))
            except TypeError:
                raise InputError("from_corpus needs str texts; for bytes, use Alphabet.bytes().") from None
            found = np.bincount(points)
            counts[: len(found)] += found
        folded: dict[str, int] = {}
        for point in np.flatnonzero(counts):
            character = fold(chr(point)) if folding else chr(point)
            folded[character] = folded.get(character, 0) + int(counts[point])
        symbols = "".join(sorted(c for c, count in folded.items() if count >= minimum_count))
        if not symbols:
            raise InputError("No character of the corpus occurs minimum_count times; lower it or give more texts.")
        return cls(symbols, folding=folding, unknown=unknown)

    @property
    def drops(self) -> bool:
        """Whether some characters have no id."""
        return self.kind == "characters" and self.unknown == "drop"

    @property
    def size(self) -> int:
        """The number of symbols, including the unknown one: ids run from 1 to ``size``."""
        return len(self.symbols) + (self.unknown == "symbol")

    def encode(self, text: Text) -> Ids:
        """Return the ids of one text."""
        return self.encode_many([text]).ids

    def encode_many(self, texts: Sequence[Text]) -> EncodedTexts:
        """Return the ids of many texts, one after the other, at tens of millions of characters per second."""
        if isinstance(texts, str | bytes):
            raise InputError("Expected a list of texts, got a single text; write [text].")
        if self.kind == "bytes":
            texts = [as_bytes(text) for text in texts]
        units = self._units(texts)
        offsets = np.zeros(len(texts) + 1, dtype=np.int64)
        np.cumsum([len(text) for text in texts], out=offsets[1:])
        if self.kind == "bytes":
            return EncodedTexts(units.astype(np.int32) + 1, offsets)
        ids = self._id_of_code_point[units]
        known = ids != PADDING
        if not known.all():
            kept_before = np.concatenate([[0], np.cumsum(known)])
            ids, offsets = ids[known], kept_before[offsets]
        return EncodedTexts(ids, offsets)

    def positions(self, text: Text) -> npt.NDArray[np.int64]:
        """Return for each id of ``encode(text)`` the position in ``text`` that it came from."""
        if self.kind == "bytes":
            return np.arange(len(as_bytes(text)))
        return np.flatnonzero(self._id_of_code_point[self._units([text])])

    def decode(self, ids: Sequence[int] | Ids) -> Text:
        """Return a text with these ids; ``encode(decode(ids))`` gives them back."""
        ids = np.asarray(ids, dtype=np.int64)
        if ids.size and not (ids.min() >= 1 and ids.max() <= self.size):
            raise InputError(f"Ids must be from 1 to {self.size}; these range from {ids.min()} to {ids.max()}.")
        if self.kind == "bytes":
            return (ids - 1).astype(np.uint8).tobytes()
        return "".join(self.symbol(int(id_)) for id_ in ids)

    def symbol(self, id_: int) -> str:
        """Return the character of an id; for the unknown symbol, some character outside the alphabet."""
        if not 1 <= id_ <= self.size:
            raise InputError(f"An id must be from 1 to {self.size}, not {id_}.")
        return self.symbols[id_ - 1] if id_ <= len(self.symbols) else self._outsider

    def to_dict(self) -> dict[str, Any]:
        """Return what a model file stores about its alphabet."""
        if self.kind == "bytes":
            return {"kind": "bytes"}
        return {"kind": self.kind, "symbols": self.symbols, "folding": self.folding, "unknown": self.unknown}

    @classmethod
    def from_dict(cls, fields: dict[str, Any]) -> Alphabet:
        """Read what :meth:`to_dict` wrote."""
        if fields == {"kind": "bytes"}:
            return cls.bytes()
        try:
            return cls(**fields)
        except TypeError:
            raise InputError(f"This is not a stored alphabet: fields {sorted(fields)}.") from None

    def __repr__(self) -> str:
        if self.kind == "bytes":
            return "Alphabet.bytes()"
        shown = self.symbols if len(self.symbols) <= 32 else self.symbols[:31] + "…"
        return f"<Alphabet of {self.size} characters {shown!r}, folding={self.folding}, unknown={self.unknown}>"

    @cached_property
    def _id_of_code_point(self) -> Ids:
        """The id of every code point; 0 where the character is dropped."""
        missing = self.size if self.unknown == "symbol" else PADDING
        table = np.full(_CODE_POINTS, missing, dtype=np.int32)
        table[_code_points(self.symbols)] = np.arange(1, len(self.symbols) + 1)
        if self.folding:
            capitals, small = _folded_code_points()
            table[capitals] = table[small]
        return table

    @cached_property
    def _outsider(self) -> str:
        """A character that encodes to the unknown symbol."""
        return self._first_with_id(self.size)

    @cached_property
    def dropped_character(self) -> str:
        """Some character that has no id; only for an alphabet that ``drops``."""
        return self._first_with_id(PADDING)

    def _first_with_id(self, id_: int) -> str:
        """Return a character outside the alphabet: one that people can see, or the first one there is."""
        for character in _VISIBLE_OUTSIDERS:
            if self._id_of_code_point[ord(character)] == id_:
                return character
        return chr(int(np.argmax(self._id_of_code_point == id_)))

    def _units(self, texts: Sequence[Text]) -> npt.NDArray[Any]:
        """Return the code points (or bytes) of all texts, one after the other."""
        if self.kind == "bytes":
            return np.frombuffer(b"".join(map(as_bytes, texts)), dtype=np.uint8)
        try:
            return _code_points("".join(texts))  # type: ignore[arg-type]
        except TypeError:
            kind = next(type(text).__name__ for text in texts if not isinstance(text, str))
            raise InputError(f"A character alphabet encodes texts of type str, not {kind}.") from None


_BYTES: Final = "".join(map(chr, range(256)))


def _code_points(text: str) -> npt.NDArray[np.uint32]:
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)


def hashable_bytes(text: Text) -> bytes:
    """Return bytes to hash a text by: defined for every str, even one that is not valid Unicode."""
    return text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text


def as_bytes(text: Text) -> bytes:
    """Return the bytes that a byte model sees of a text."""
    if isinstance(text, bytes):
        return text
    if not isinstance(text, str):
        raise InputError(f"A byte alphabet encodes texts of type bytes or str, not {type(text).__name__}.")
    try:
        # surrogateescape: bytes that reached us as an undecodable str (arguments, file names) stay themselves
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        raise InputError("The text contains a lone surrogate, which UTF-8 cannot encode; give it as bytes.") from None


@cache
def _folded_code_points() -> tuple[Ids, Ids]:
    """Return all code points that folding changes, and what it changes them to."""
    capitals, small = [], []
    for start in range(0, _CODE_POINTS, 256):
        block = "".join(map(chr, range(start, start + 256)))
        if block.lower() != block:  # most blocks contain no capital: skipping them makes this 20 times faster
            changed = [c for c in block if fold(c) != c]
            capitals += [ord(c) for c in changed]
            small += [ord(fold(c)) for c in changed]
    return np.array(capitals, dtype=np.int32), np.array(small, dtype=np.int32)
