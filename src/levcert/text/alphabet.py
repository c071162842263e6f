"""Characters or bytes ↔ ids, and why a proof over ids is a proof over all of Unicode.

Id 0 is the padding beyond both ends of a text; the symbols have the ids 1 … ``size``.

**Why certificates over ids hold for every text.**  Encoding maps each character, independently of the others,
to one id or to nothing; the fold (see ``folding``) is part of it.  So one edit of the text is at most one edit of
the ids: replacing a known
character by a dropped one is a deletion, the reverse an insertion, and dropped by dropped is not an edit.
Hence ``levenshtein(encode(P), encode(Q)) <= levenshtein(P, Q)`` for all Unicode texts P and Q, and what
is proved for all id sequences within k edits holds for all texts within k edits.  (A byte model is about bytes:
a str is turned into its UTF-8 bytes first, and edits are edits of bytes.)  An attacker may insert any
character at all: a dropped one does not change the ids, and one mapped to the unknown symbol is among the
``size`` symbols that every certifier and attack considers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Any, Final, Literal

import numpy as np
import numpy.typing as npt

from levcert.errors import InputError
from levcert.text.folding import CODE_POINTS, NOTHING, Fold, FoldName

Text = str | bytes
Ids = npt.NDArray[np.int32]

PADDING: Final = 0
_AT_ONCE: Final = 1 << 22  # characters that are encoded at once
_OUTSIDERS: Final = "\N{REPLACEMENT CHARACTER}\N{EURO SIGN}\N{SECTION SIGN}\N{WHITE SQUARE}\N{ZERO WIDTH SPACE}"


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

    ``fold`` says which characters count as the same one, and which as none: a name of ``FOLDS`` or a Fold.  ``unknown``
    says what happens to a character that is not in the alphabet once it is folded: it is dropped (as in the paper), or
    mapped to one unknown symbol, which then has the last id.  The module's docstring explains why certificates stay
    true for all of Unicode.

    Examples:
        >>> letters = levcert.Alphabet.from_corpus(["abba", "cab"])
        >>> letters.symbols, letters.encode("cab!").tolist()
        ('abc', [3, 1, 2])
    """

    symbols: str
    fold: Fold = Fold("case")  # noqa: RUF009 - immutable; or one of the names in FOLDS
    unknown: Literal["drop", "symbol"] = "drop"
    kind: Literal["characters", "bytes"] = "characters"

    def __post_init__(self) -> None:
        if not isinstance(self.symbols, str):
            raise InputError("Give the symbols of an alphabet as one string; for bytes, use Alphabet.bytes().")
        if self.kind not in ("characters", "bytes") or self.unknown not in ("drop", "symbol"):
            raise InputError(
                f"kind must be characters or bytes and unknown must be drop or symbol, "
                f"not kind={self.kind!r} and unknown={self.unknown!r}."
            )
        fold = Fold.named(self.fold)
        object.__setattr__(self, "fold", fold)
        if self.kind == "bytes" and (self.symbols, fold.name, self.unknown) != (_BYTES, "none", "drop"):
            raise InputError("A byte alphabet has all 256 bytes and no fold; use Alphabet.bytes().")
        if not self.symbols:
            raise InputError("An alphabet needs at least one symbol.")
        folded = [fold(symbol) for symbol in self.symbols]
        if "" in folded:
            raise InputError(
                f"The fold {fold.name} drops the symbol {self.symbols[folded.index('')]!r} of the alphabet; remove it."
            )
        object.__setattr__(self, "symbols", "".join(folded))
        if len(set(self.symbols)) < len(self.symbols):
            twice = Counter(self.symbols).most_common(1)[0][0]
            raise InputError(f"The symbol {twice!r} is in the alphabet twice (after folding); remove one.")

    @classmethod
    def bytes(cls) -> Alphabet:
        """All 256 bytes, for files, URLs and malware; a ``str`` is then read as its UTF-8 bytes."""
        return cls(_BYTES, fold=Fold("none"), kind="bytes")

    @classmethod
    def from_corpus(
        cls,
        texts: Iterable[str],
        *,
        minimum_count: int = 1,
        fold: Fold | FoldName | None = "case",
        unknown: Literal["drop", "symbol"] = "drop",
    ) -> Alphabet:
        """Every character seen at least ``minimum_count`` times (after folding), in code-point order."""
        fold = Fold.named(fold)
        counts = np.zeros(CODE_POINTS, dtype=np.int64)
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
            character = fold(chr(point))
            folded[character] = folded.get(character, 0) + int(counts[point])
        symbols = "".join(sorted(c for c, count in folded.items() if c and count >= minimum_count))
        if not symbols:
            raise InputError("No character of the corpus occurs minimum_count times; lower it or give more texts.")
        return cls(symbols, fold=fold, unknown=unknown)

    @property
    def drops(self) -> bool:
        """Whether some characters have no id."""
        return self.kind == "characters" and (self.unknown == "drop" or self.fold.drops)

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
        joined = self._joined(texts)
        offsets = np.zeros(len(texts) + 1, dtype=np.int64)
        np.cumsum([len(text) for text in texts], out=offsets[1:])
        ids = np.empty(len(joined), dtype=np.int32)
        kept_offsets, kept = np.empty_like(offsets), 0
        for first in range(0, max(len(joined), 1), _AT_ONCE):  # the ids are all that takes memory
            found = self._ids_of(joined[first : first + _AT_ONCE])
            known = found != PADDING
            here = slice(*np.searchsorted(offsets, [first, first + len(found)]))
            kept_offsets[here] = kept + offsets[here] - first
            if not known.all():
                before = np.concatenate([[0], np.cumsum(known)])
                kept_offsets[here] = kept + before[offsets[here] - first]
                found = found[known]
            ids[kept : kept + len(found)] = found
            kept += len(found)
        kept_offsets[offsets == len(joined)] = kept
        return EncodedTexts(ids[:kept], kept_offsets)

    def positions(self, text: Text) -> npt.NDArray[np.int64]:
        """Return for each id of ``encode(text)`` the position in ``text`` that it came from."""
        if self.kind == "bytes":
            return np.arange(len(as_bytes(text)))
        return np.flatnonzero(self._ids_of(self._joined([text])))

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
        fields = {"kind": self.kind, "symbols": self.symbols, "unknown": self.unknown}
        if self.fold.changes is None:  # as version 0.1 wrote it
            return fields | {"folding": self.fold.name == "case"}
        return fields | {"fold": self.fold.to_dict()}

    @classmethod
    def from_dict(cls, fields: dict[str, Any]) -> Alphabet:
        """Read what :meth:`to_dict` wrote."""
        if fields == {"kind": "bytes"}:
            return cls.bytes()
        fields = dict(fields)
        if "fold" in fields:
            fields["fold"] = Fold.from_dict(fields["fold"])
        elif isinstance(fields.get("folding"), bool):
            fields["fold"] = Fold("case" if fields.pop("folding") else "none")
        elif "folding" in fields:
            raise InputError(f"folding must be true or false, not {fields['folding']!r}.")
        try:
            return cls(**fields)
        except TypeError:
            raise InputError(f"This is not a stored alphabet: fields {sorted(fields)}.") from None

    def __repr__(self) -> str:
        if self.kind == "bytes":
            return "Alphabet.bytes()"
        shown = self.symbols if len(self.symbols) <= 32 else self.symbols[:31] + "…"
        return f"<Alphabet of {self.size} characters {shown!r}, fold={self.fold.name}, unknown={self.unknown}>"

    @cached_property
    def _id_of_code_point(self) -> Ids:
        """The id of every code point; 0 where the character is dropped."""
        missing = self.size if self.unknown == "symbol" else PADDING
        table = np.full(CODE_POINTS, missing, dtype=np.int32)
        table[_code_points(self.symbols)] = np.arange(1, len(self.symbols) + 1)
        changed, become = self.fold.points
        table[changed] = np.where(become == NOTHING, PADDING, table[become])
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
        """Return a character outside the alphabet: one that people know, or the first one there is."""
        for character in _OUTSIDERS:
            if self._id_of_code_point[ord(character)] == id_:
                return character
        return chr(int(np.argmax(self._id_of_code_point == id_)))

    def _joined(self, texts: Sequence[Text]) -> Text:
        """Return all texts one after the other, as the type that this alphabet encodes."""
        if self.kind == "bytes":
            return b"".join(map(as_bytes, texts))
        try:
            return "".join(texts)  # type: ignore[arg-type]
        except TypeError:
            kind = next(type(text).__name__ for text in texts if not isinstance(text, str))
            raise InputError(f"A character alphabet encodes texts of type str, not {kind}.") from None

    def _ids_of(self, text: Text) -> Ids:
        """Return the id of every character or byte; 0 for a character that is dropped."""
        if isinstance(text, bytes):
            return np.frombuffer(text, dtype=np.uint8).astype(np.int32) + 1
        return self._id_of_code_point[_code_points(text)]


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
