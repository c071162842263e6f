"""An independent checker of certificates: slow and plain.

This file is to levcert what a proof checker is to a SAT solver.  It imports nothing of levcert but its error type, so a
defect of the alphabets, the models, the kernels, the balls or the certifiers cannot hide itself here.  It reads the
model file by the documented format (docs/formats.md), scores texts with Python loops, and looks for a text that
contradicts a certificate.  The sections of the file:

1. the model file: tensors, alphabet, votes in whole numbers, convolutions in floats and in whole numbers
2. the label of a text, and whether rounding could change it
3. the threat: which edits are allowed, the distance they give, all texts they make, random texts they make
4. the rows of ``levcert certify -o``
5. the verdict on one row, and the report on all

Inside, a byte text is a str with one character U+0000 … U+00FF per byte, so that there is one kind of text.
"""

from __future__ import annotations

import csv
import hashlib
import json
import math
import random
import sys
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain, islice
from operator import add
from pathlib import Path
from typing import IO, Any, AnyStr, Final, Literal

from levcert.errors import InputError

Text = str | bytes
Ids = tuple[int, ...]  # 0 is padding; symbols count from 1
Numbers = list[float]  # or whole numbers of some unit: Python computes with both alike

# ---------------------------------------------------------------------------------------------------------------------
# 1. The model file

_TYPES: Final = {"F64": "d", "F32": "f", "I8": "b", "U8": "B", "I16": "h", "U16": "H", "I32": "i", "U32": "I",
                 "I64": "q", "U64": "Q"}  # fmt: skip
_NUMPY_TYPES: Final = {"d": "<f8", "f": "<f4", "b": "|i1", "B": "|u1", "h": "<i2", "H": "<u2", "i": "<i4", "I": "<u4",
                       "q": "<i8", "Q": "<u8"}  # fmt: skip
# Limits of docs/formats.md: reading a file takes memory and time in proportion to its size.
_LONGEST_HEADER: Final = 2**25  # bytes
_MOST_DIMENSIONS: Final = 8
_LARGEST_TABLE: Final = 2**24
_LONGEST_ORDER: Final = 32
_WIDEST_WINDOW: Final = 1024
_LONGEST_LABEL: Final = 1000
_SMALLEST_ROOM: Final = 2**26  # bytes that the tables of even the smallest file may take
_EXPANSION: Final = 64  # times the bytes of its tensors that the tables of a larger one may take


@dataclass(frozen=True)
class Tensor:
    """Numbers in row-major order."""

    shape: tuple[int, ...]
    values: array[Any]


def read_safetensors(path: Path) -> tuple[dict[str, str], dict[str, Tensor]]:
    """Read an 8-byte length, a JSON header of that length, and little-endian tensors behind it, one after the other."""
    if path.exists() and not path.is_file():
        raise ValueError("it is not a regular file")
    with path.open("rb") as file:
        start = file.read(8)
        length = int.from_bytes(start, "little")
        if len(start) < 8 or length > path.stat().st_size - 8:
            raise ValueError("the file is shorter than its header says")
        if length > _LONGEST_HEADER:
            raise ValueError(f"the header has {length:,} bytes, more than any model needs")
        header, data = json.loads(file.read(length)), memoryview(file.read())
    metadata = header.pop("__metadata__", {})
    tensors, read = {}, 0
    for name, entry in sorted(header.items(), key=lambda item: tuple(item[1]["data_offsets"])):
        (begin, end), shape = entry["data_offsets"], tuple(entry["shape"])
        if entry["dtype"] not in _TYPES:
            raise ValueError(f"the tensor {name!r} has the unknown type {entry['dtype']!r}")
        values = array(_TYPES[entry["dtype"]])
        whole = len(shape) <= _MOST_DIMENSIONS and all(type(n) is int and n >= 0 for n in (begin, end, *shape))
        if not whole or begin != read or end > len(data) or math.prod(shape) * values.itemsize != end - begin:
            raise ValueError(f"the tensor {name!r} lies outside the file or over another, or has not the size it says")
        values.frombytes(data[begin:end])
        if sys.byteorder == "big":
            values.byteswap()
        if values.typecode in "df" and not all(map(math.isfinite, values)):
            raise ValueError(f"the tensor {name!r} contains NaN or infinity")
        tensors[name], read = Tensor(shape, values), end
    if read != len(data):
        raise ValueError("there are bytes after the last tensor, or bytes are missing")
    return metadata, tensors


def _check_sum(fields: dict[str, Any], tensors: dict[str, Tensor]) -> None:
    """Compare the field ``sha256`` with that of everything else in the file; version 0.1 wrote none."""
    expected = fields.pop("sha256", None)
    if expected is None:
        return
    digest = hashlib.sha256()
    parts = [json.dumps(fields, sort_keys=True).encode()]
    for name, tensor in sorted(tensors.items()):
        values = tensor.values
        if sys.byteorder == "big":
            values = array(values.typecode, values)
            values.byteswap()
        parts.append(json.dumps([name, _NUMPY_TYPES[values.typecode], tensor.shape]).encode())
        parts.append(values.tobytes())
    for part in parts:
        digest.update(len(part).to_bytes(8, "little") + part)
    if digest.hexdigest() != expected:
        raise ValueError("its contents do not match its checksum")


def _check_room(tables: int, tensors: dict[str, Tensor]) -> None:
    """Refuse tables of this many bytes where the tensors are too small for them."""
    stored = sum(len(tensor.values) * tensor.values.itemsize for tensor in tensors.values())
    if tables > max(_SMALLEST_ROOM, _EXPANSION * stored):
        raise ValueError(f"its tables take {tables:,} bytes, out of proportion to the file")


@dataclass(frozen=True)
class Alphabet:
    """Characters to ids, each on its own: fold, look up, and drop or map what is unknown."""

    kind: Literal["characters", "bytes"]
    symbols: str
    fold_name: str
    unknown: Literal["drop", "symbol"]
    table: Mapping[int, str] = field(default_factory=dict)  # what the file says characters are folded to; "": dropped

    @classmethod
    def from_header(cls, fields: Any) -> Alphabet:
        if fields == {"kind": "bytes"}:
            return cls("bytes", "".join(map(chr, range(256))), "none", unknown="drop")
        symbols, unknown = fields["symbols"], fields["unknown"]
        if "fold" in fields:
            name, table = fields["fold"]["name"], _fold_table(fields["fold"]["changes"])
        else:
            name, table = {True: "case", False: "none"}[fields["folding"]], {}
        whole = isinstance(symbols, str) and isinstance(name, str) and unknown in ("drop", "symbol") and symbols
        if fields["kind"] != "characters" or not whole or len(set(symbols)) < len(symbols):
            raise ValueError("the alphabet is damaged")
        return cls("characters", symbols, name, unknown, table)

    @property
    def size(self) -> int:
        return len(self.symbols) + (self.unknown == "symbol")

    def fold(self, character: str) -> str:
        """Return what one character becomes; "" if the fold drops it."""
        if self.table:
            return self.table.get(ord(character), character)
        lower = character.lower() if self.fold_name == "case" else character
        return lower if len(lower) == 1 else character

    def id_of(self, character: str) -> int:
        """Return the id of one character; 0 if it is dropped."""
        folded = self.fold(character)
        missing = self.size if self.unknown == "symbol" and folded else 0
        return self._id_of_symbol.get(folded, missing)

    @cached_property
    def _id_of_symbol(self) -> dict[str, int]:
        return {symbol: id_ for id_, symbol in enumerate(self.symbols, 1)}

    def encode(self, text: str) -> Ids:
        ids, known = [], self._known
        for character in text:
            if character not in known:
                known[character] = self.id_of(character)
            ids.append(known[character])
        return tuple(filter(None, ids))

    @cached_property
    def _known(self) -> dict[str, int]:
        """Ids that were asked for."""
        return {}

    @cached_property
    def representatives(self) -> tuple[str, ...]:
        """One character for each id that any character at all has, id 0 (dropped) included if there is such a one.

        Symbols first, U+FFFD and U+200B, because people know them; then all of Unicode, so that nothing is left out.
        """
        found: dict[int, str] = {}
        for character in chain(self.symbols, "\ufffd\u200b" * (self.kind == "characters")):
            found.setdefault(self.id_of(character), character)
        ids = self.size + (self.unknown == "drop" or "" in self.table.values())
        if self.kind == "characters" and len(found) < ids:
            for point in range(sys.maxunicode + 1):
                found.setdefault(self.id_of(chr(point)), chr(point))
        return tuple(found.values())

    def typed(self, text: Text) -> str:
        """Return the text with one character for each unit (character or byte) that an attacker edits."""
        if self.kind == "characters":
            if not isinstance(text, str):
                raise InputError(
                    "the text is bytes, but the model reads characters; does the row belong to another model?"
                )
            return text
        try:
            return (text if isinstance(text, bytes) else text.encode("utf-8", "surrogateescape")).decode("latin-1")
        except UnicodeEncodeError:
            raise InputError("the text contains a lone surrogate, which UTF-8 cannot encode.") from None

    def shown(self, text: str) -> Text:
        """Return the opposite of :meth:`typed`."""
        return text if self.kind == "characters" else text.encode("latin-1")


def _fold_table(changes: str) -> dict[int, str]:
    """Read lines such as "61:41 c0-c5": the code points after the colon become the one before it, or nothing."""
    table: dict[int, str] = {}
    for line in changes.split("\n"):
        target, _, characters = line.partition(":")
        new = chr(int(target, 16)) if target else ""
        for run in characters.split():
            first, _, last = run.partition("-")
            for point in range(int(first, 16), min(int(last or first, 16), sys.maxunicode) + 1):
                if point in table:
                    raise ValueError("the fold of the alphabet is damaged")
                table[point] = new
    if not table or any(ord(new) in table for new in table.values() if new):
        raise ValueError("the fold of the alphabet is damaged")
    return table


# Both kinds of models are sums over windows: f(S) = Σ_i φ(window i of S padded with zeros), one number per class.
# ``around(ids, first, last)`` is Σ φ over the windows that touch ids[first:last], or straddle the cut if that is empty.


class Votes:
    """Every n-gram has one vote per class, a whole number from −127 to 127, in the row that its hash names."""

    exact: Final = True
    _P: Final = 0x9E3779B97F4A7C15
    _MIX: Final = 0xD6E8FEB86659FD93
    _ALL_BITS: Final = 2**64 - 1

    def __init__(self, tensors: dict[str, Tensor], options: dict[str, Any], classes: int) -> None:
        orders, rows = options["orders"], options["rows"]
        possible = range(1, _LONGEST_ORDER + 1)
        if not orders or orders != sorted(set(orders)) or not all(type(n) is int and n in possible for n in orders):
            raise ValueError("the orders are damaged")
        if type(rows) is not int or not 2 <= rows <= _LARGEST_TABLE or rows & (rows - 1):
            raise ValueError("the number of rows is not a power of two")
        _check_room(len(orders) * rows * classes, tensors)
        votes, used = tensors.pop("votes"), tensors.pop("used_rows", None)
        stored = len(used.values) if used else len(orders) * rows
        if (
            tensors
            or votes.values.typecode != "b"
            or votes.shape != (stored, classes)
            or min(votes.values, default=0) == -128
        ):
            raise ValueError("the tensors do not fit the header")
        numbers = used.values if used else range(stored)
        if used and (used.values.typecode not in "BHIQ" or len(set(numbers)) < stored):
            raise ValueError("the used rows are damaged")
        if max(numbers, default=0) >= len(orders) * rows:
            raise ValueError("the used rows are damaged")
        self.orders: tuple[int, ...] = tuple(orders)
        self.rows, self.classes = rows, classes
        self._bits: int = rows.bit_length() - 1  # rows = 2^bits
        self._votes = votes.values
        # of a row among those that are stored; None: all are
        self._place = dict(zip(numbers, range(stored), strict=True)) if used else None
        self._nothing = [0] * classes

    def row(self, gram: Sequence[int]) -> int | None:
        """Return the row of an n-gram; None for nothing but padding.  docs/formats.md states the hash."""
        value = 0
        for id_ in gram:
            value = (value * self._P + id_) & self._ALL_BITS
        if value == 0:
            return None
        value = ((value ^ (value >> 32)) * self._MIX) & self._ALL_BITS
        return value >> (64 - self._bits)

    def around(self, ids: Ids, first: int, last: int) -> Numbers:
        total: Numbers = [0] * self.classes
        for number, n in enumerate(self.orders):
            side = (0,) * (n - 1)
            padded = (side + ids + side)[first : last + 2 * (n - 1)]
            for start in range(len(padded) - n + 1):
                row = self.row(padded[start : start + n])
                if row is not None:
                    total = list(map(add, total, self._votes_of(number * self.rows + row)))
        return total

    def _votes_of(self, row: int) -> Sequence[int]:
        place = row if self._place is None else self._place.get(row)
        return self._nothing if place is None else self._votes[place * self.classes : (place + 1) * self.classes]

    def exact_scores(self, ids: Ids) -> Numbers:
        return self.around(ids, 0, len(ids))

    def rounding(self, windows: int) -> float:
        return 0.0

    @property
    def width(self) -> int:
        return self.orders[-1]


@dataclass
class _Weights:
    """The weights of a network, all floats or all whole numbers, and what is worth remembering of its first layer."""

    embedding: list[Numbers]  # symbols × d
    kernels: list[list[list[Numbers]]]  # layers × taps × filters × inputs
    head: list[Numbers]  # classes × filters
    whole_numbers: bool
    first_layer: dict[int, list[Numbers]] = field(default_factory=dict)

    def taps_of(self, id_: int) -> list[Numbers]:
        """Return for each tap of the first layer what the symbol there adds to all filters: e_a K_jᵀ."""
        if id_ not in self.first_layer:
            row = self.embedding[id_ - 1]
            self.first_layer[id_] = [[_product(row, inputs) for inputs in filters] for filters in self.kernels[0]]
        return self.first_layer[id_]


class Convolution:
    """f(S) = (Σ_i h_i) Wᵀ with h = σ(C⁽ˡ⁾ … σ(C⁽¹⁾(S E))).

    Mean pooling divides the scores of all classes by the same number: it changes no label, and is left out.
    """

    exact: Final = False

    def __init__(self, tensors: dict[str, Tensor], options: dict[str, Any], symbols: int, classes: int) -> None:
        layers, self.activation = options["layers"], options.get("activation", "relu")
        if type(layers) is not int or self.activation not in ("relu", "leaky_relu", "tanh", "gelu"):
            raise ValueError("the layers or the activation are unknown")
        if options.get("pooling", "sum") not in ("sum", "mean"):
            raise ValueError("the pooling is unknown")
        if layers > len(tensors):
            raise ValueError("there are more layers than tensors")
        _check_room(8 * (symbols + 1) * math.prod(tensors["kernel.0"].shape[:2]), tensors)
        self._tensors = [tensors.pop(name) for name in ("embedding", *(f"kernel.{i}" for i in range(layers)), "head")]
        embedding, *kernels, _ = self._tensors
        inputs = [embedding.shape[-1], *(kernel.shape[1] for kernel in kernels)]
        shapes = [(symbols, inputs[0])]
        shapes += [(k.shape[0], outputs, given) for k, given, outputs in zip(kernels, inputs, inputs[1:], strict=False)]  # type: ignore[misc]
        shapes += [(classes, inputs[-1])]
        if tensors or layers < 1 or [t.shape for t in self._tensors] != shapes or not all(map(all, shapes)):
            raise ValueError("the tensors do not fit the header")
        self.taps = [kernel.shape[0] for kernel in kernels]
        self.width = 1 + sum(taps - 1 for taps in self.taps)
        if self.width > _WIDEST_WINDOW or any(tensor.values.typecode not in "df" for tensor in self._tensors):
            raise ValueError("its windows are too wide, or its weights are not floats")
        self._floats = _weights([(tensor.shape, list(map(float, tensor.values))) for tensor in self._tensors])

    def around(self, ids: Ids, first: int, last: int) -> Numbers:
        return self._sum_of_windows(ids, first, last, self._floats)

    def exact_scores(self, ids: Ids) -> Numbers | None:
        """ReLU and leaky ReLU in whole numbers: every tensor in units of its own power of two, so all is exact."""
        if self.activation not in ("relu", "leaky_relu"):
            return None
        return self._sum_of_windows(ids, 0, len(ids), self._whole_numbers)

    @cached_property
    def _whole_numbers(self) -> _Weights:
        tensors = []
        for tensor in self._tensors:
            ratios = [value.as_integer_ratio() for value in map(float, tensor.values)]
            unit = max(denominator for _, denominator in ratios)  # a power of two
            whole = [numerator * (unit // denominator) for numerator, denominator in ratios]
            tensors.append((tensor.shape, whole))
        return _weights(tensors, whole_numbers=True)

    def _sum_of_windows(self, ids: Ids, first: int, last: int, weights: _Weights) -> Numbers:
        """Run the network without padding over a stretch of the padded text: one row comes out for each window."""
        side = (0,) * (self.width - 1)
        stretch = (side + ids + side)[first : last + 2 * (self.width - 1)]
        taps = self.taps[0]
        rows = []
        for start in range(len(stretch) - taps + 1):
            total: Numbers = [0] * len(weights.kernels[0][0])
            for tap in range(taps):
                id_ = stretch[start + tap]
                if id_ != 0:  # padding has no embedding and adds nothing
                    total = list(map(add, total, weights.taps_of(id_)[tap]))
            rows.append(self._activate(total, weights))
        for kernel in weights.kernels[1:]:
            starts = range(len(rows) - len(kernel) + 1)
            rows = [self._activate(_convolve(kernel, rows, start), weights) for start in starts]
        pooled: Numbers = [0] * len(weights.head[0])
        for row in rows:
            pooled = list(map(add, pooled, row))
        return [_product(pooled, of_class) for of_class in weights.head]

    def _activate(self, values: Numbers, weights: _Weights) -> Numbers:
        if self.activation == "relu":
            return [value if value > 0 else 0 for value in values]
        if self.activation == "leaky_relu":
            positive, negative = (0.01).as_integer_ratio()[::-1] if weights.whole_numbers else (1.0, 0.01)
            return [value * (positive if value > 0 else negative) for value in values]
        if self.activation == "tanh":
            return [math.tanh(value) for value in values]
        return [0.5 * value * (1 + math.erf(value / math.sqrt(2))) for value in values]

    def rounding(self, windows: int) -> float:
        """n·2⁻⁴⁹·M, where n terms are added up on the way to a score and M is what they come to without signs.

        Summed in any order, they come out within n·2⁻⁵³·M of the truth (Higham's γ_n); the factor 16 is for two sums
        in two programmes, a difference of two of them, and slopes of activations (at most 1.13).  1e-290: underflow.
        """
        terms, largest = self._terms_and_magnitude
        return (terms + windows) * 2.0**-49 * windows * largest + 1e-290

    @cached_property
    def _terms_and_magnitude(self) -> tuple[int, float]:
        """How many terms one window adds up, and the largest sum of their absolute values over all symbols."""
        weights = self._floats
        magnitudes = [max(map(abs, column)) for column in zip(*weights.embedding, strict=True)]
        terms = 16
        for kernel in weights.kernels:
            terms += len(kernel) * len(magnitudes) + 16
            parts = [[_product(magnitudes, [*map(abs, inputs)]) for inputs in filters] for filters in kernel]
            magnitudes = [sum(values) for values in zip(*parts, strict=True)]
        return terms + len(magnitudes), max(_product(magnitudes, [*map(abs, row)]) for row in weights.head)


def _product(a: Sequence[float], b: Sequence[float]) -> float:
    return sum([x * y for x, y in zip(a, b, strict=True)])


def _convolve(kernel: list[list[Numbers]], rows: list[Numbers], start: int) -> Numbers:
    parts = [[_product(rows[start + tap], inputs) for inputs in filters] for tap, filters in enumerate(kernel)]
    return [sum(values) for values in zip(*parts, strict=True)]


def _weights(tensors: list[tuple[tuple[int, ...], list[Any]]], *, whole_numbers: bool = False) -> _Weights:
    """Make nested lists of tensors in row-major order."""
    nested: list[Any] = []
    for shape, values in tensors:
        for size in reversed(shape[1:]):
            values = [values[i : i + size] for i in range(0, len(values), size)]
        nested.append(values)
    return _Weights(nested[0], nested[1:-1], nested[-1], whole_numbers)


def read_classifier(path: str | Path) -> Classifier:
    """Read a model file; any problem is reported in one sentence."""
    path = Path(path)
    try:
        metadata, tensors = read_safetensors(path)
        if "levcert" not in metadata:
            raise ValueError("levcert did not write it")
        header = json.loads(metadata["levcert"])
        _check_sum(header, tensors)
        if type(header["format_version"]) is not int or header["format_version"] != 1:
            raise ValueError(f"it has format version {header['format_version']!r}, and the audit reads version 1")
        alphabet, labels, options = Alphabet.from_header(header["alphabet"]), header["labels"], header["options"]
        if len(labels) < 2 or len(set(labels)) < len(labels) or not all(isinstance(name, str) for name in labels):
            raise ValueError("the labels are damaged")
        if max(map(len, labels)) > _LONGEST_LABEL:
            raise ValueError(f"a label is longer than {_LONGEST_LABEL:,} characters")
        if header["kind"] == "votes":
            return Classifier(alphabet, tuple(labels), Votes(tensors, options, len(labels)))
        if header["kind"] == "conv":
            return Classifier(alphabet, tuple(labels), Convolution(tensors, options, alphabet.size, len(labels)))
        raise ValueError(f"the audit does not know models of the kind {header['kind']!r}")
    except OSError as error:
        raise InputError(f"Cannot read the model {path}: {error.strerror or error}.") from None
    except KeyError as error:
        raise InputError(f"Cannot read the model {path}: it has no {error}; the file is damaged.") from None
    except (ValueError, TypeError, AttributeError, IndexError, RecursionError, OverflowError) as error:
        raise InputError(f"Cannot read the model {path}: {error}; is it a complete levcert model file?") from None


# ---------------------------------------------------------------------------------------------------------------------
# 2. The label of a text


@dataclass(frozen=True)
class Decision:
    """The label of a text; where it is not certain, a sound programme that rounds otherwise may say another."""

    label: int
    certain: bool


@dataclass(frozen=True)
class Classifier:
    """What the model file says: texts to labels."""

    alphabet: Alphabet
    labels: tuple[str, ...]
    model: Votes | Convolution

    def scores(self, ids: Ids) -> Numbers:
        return self.model.around(ids, 0, len(ids))

    def decide(self, ids: Ids) -> Decision:
        """Return the first of the best scores; where rounding could decide, compute in whole numbers."""
        scores = self.scores(ids)
        label = scores.index(max(scores))  # index: the first of equal ones
        if self.model.exact or not ids or self.gap(scores, label) > self.rounding(ids):
            return Decision(label, certain=True)  # the empty text: all scores are 0, in any order of summation
        exact = self.model.exact_scores(ids)
        if exact is not None:
            label = exact.index(max(exact))
        return Decision(label, certain=False)

    def keeps(self, scores: Numbers, label: int, ids: Ids) -> bool:
        """Return whether these scores, summed in any order, certainly give the label by the rule of predict."""
        if not self.model.exact:
            return self.gap(scores, label) > 3 * self.rounding(ids)  # 3: see Neighbourhood.scores
        return scores.index(max(scores)) == label

    def rounding(self, ids: Ids) -> float:
        return self.model.rounding(len(ids) + self.model.width)

    @staticmethod
    def gap(scores: Numbers, label: int) -> float:
        """Return how far the label is ahead of the next best; NaN compares false with everything."""
        return min(scores[label] - score for other, score in enumerate(scores) if other != label)


class Neighbourhood:
    """Scores of texts that have much in common with one text: only windows that touch the difference are scored again.

    Let P and Q agree on the first a and the last b ids.  A window of Q that touches none of the ids between is a
    window of P as well, and the reverse.  So f(Q) = f(P) − (windows of P that touch its middle) + (windows of Q that
    touch its own).  In floats, that is a sum of three scores, with three times the rounding.
    """

    def __init__(self, classifier: Classifier, ids: Ids) -> None:
        self._classifier, self._ids, self._scores = classifier, ids, classifier.scores(ids)
        self._middles: dict[tuple[int, int], Numbers] = {}

    def scores(self, ids: Ids) -> Numbers:
        same_start, same_end = _agreement(self._ids, ids)
        middle = same_start, len(self._ids) - same_end
        around = self._classifier.model.around
        if middle not in self._middles:
            self._middles[middle] = around(self._ids, *middle)
        new = around(ids, same_start, len(ids) - same_end)
        return [f - old + now for f, old, now in zip(self._scores, self._middles[middle], new, strict=True)]


def _agreement(a: Ids, b: Ids) -> tuple[int, int]:
    """Return how many ids two texts share at their start and, of the rest, at their end."""
    shorter, start, end = min(len(a), len(b)), 0, 0
    while start < shorter and a[start] == b[start]:
        start += 1
    while end < shorter - start and a[-1 - end] == b[-1 - end]:
        end += 1
    return start, end


# ---------------------------------------------------------------------------------------------------------------------
# 3. The threat

_OPERATIONS: Final = frozenset({"insert", "delete", "substitute"})


@dataclass(frozen=True, eq=False)
class Threat:
    """Which edits are allowed.  They are edits of the text as typed, and k of them are made at once.

    So a script is an alignment: every character of the text is kept, deleted or substituted, once, and other characters
    are inserted between.
    """

    alphabet: Alphabet
    operations: frozenset[str] = _OPERATIONS
    symbols: frozenset[str] | None = None  # what insertions and substitutions may bring in; None: anything
    neighbours: Mapping[str, str] | None = None  # what a character may be substituted by; None: anything
    deletable: frozenset[str] | None = None  # what may be deleted; None: anything
    known_only: bool = False  # of the claim "substitutions only": characters with an id by characters with an id

    def may_insert(self, new: str) -> bool:
        return "insert" in self.operations and (self.symbols is None or new in self.symbols)

    def may_delete(self, old: str) -> bool:
        if "delete" not in self.operations:
            return False
        return self.deletable is None or not self.deletable.isdisjoint({old, self.alphabet.fold(old)})

    def may_substitute(self, old: str, new: str) -> bool:
        if "substitute" not in self.operations or old == new:
            return False
        if self.symbols is not None and new not in self.symbols:
            return False
        if self.known_only and not (self.alphabet.id_of(old) and self.alphabet.id_of(new)):
            return False
        return self.neighbours is None or new in self._near(old)

    def _near(self, old: str) -> str:
        assert self.neighbours is not None
        return self.neighbours.get(old, "") + self.neighbours.get(self.alphabet.fold(old), "")  # "" has no entry

    # Why one character for each id is enough: a score depends on ids alone, and what an edit brings in is not edited
    # again.  So of two allowed characters with one id (0, "dropped", is one), both make the same ids of every script.

    @cached_property
    def insertions(self) -> tuple[str, ...]:
        """One character for each id that an insertion may bring in."""
        pool = self.alphabet.representatives if self.symbols is None else sorted(self.symbols)
        return self._one_for_each_id(new for new in pool if self.may_insert(new))

    def substitutions(self, old: str) -> tuple[str, ...]:
        """One character for each id that may come in the place of a character."""
        if old not in self._substitutions:
            pool: Iterable[str] = self.alphabet.representatives if self.symbols is None else sorted(self.symbols)
            if self.neighbours is not None:
                pool = self._near(old)
            self._substitutions[old] = self._one_for_each_id(new for new in pool if self.may_substitute(old, new))
        return self._substitutions[old]

    @cached_property
    def _substitutions(self) -> dict[str, tuple[str, ...]]:
        return {}

    def _one_for_each_id(self, characters: Iterable[str]) -> tuple[str, ...]:
        found: dict[int, str] = {}
        for character in characters:
            found.setdefault(self.alphabet.id_of(character), character)
        return tuple(found.values())

    def touches(self, old: str) -> tuple[str, ...]:
        """Everything that may stand in the place of a character: nothing, if it may be deleted, and substitutes."""
        return ("",) * self.may_delete(old) + self.substitutions(old)

    def distance(self, source: str, target: str, limit: int) -> int | None:
        """Return the least number of allowed edits that make the target of the source; None if more than the limit.

        cost[j] after i characters of the source: the least cost of making target[:j] of source[:i].  Costs are at
        least |i − j|, so those with |i − j| > limit are left out.
        """
        far = limit + 1
        row = {0: 0}
        for j in range(1, min(limit, len(target)) + 1):
            row[j] = min(far, row[j - 1] + 1) if self.may_insert(target[j - 1]) else far
        for i in range(1, len(source) + 1):
            above, row, may_delete = row, {}, self.may_delete(source[i - 1])
            for j in range(max(0, i - limit), min(len(target), i + limit) + 1):
                options = [far]
                if j > 0 and source[i - 1] == target[j - 1]:
                    options.append(above.get(j - 1, far))
                if j > 0 and self.may_substitute(source[i - 1], target[j - 1]):
                    options.append(above.get(j - 1, far) + 1)
                if may_delete:
                    options.append(above.get(j, far) + 1)
                if j > 0 and self.may_insert(target[j - 1]):
                    options.append(row.get(j - 1, far) + 1)
                row[j] = min(options)
        result = row.get(len(target), far)
        return result if result <= limit else None

    def counts(self, text: str) -> Iterator[int]:
        """Give the number of scripts with exactly 0, 1, 2, … edits, without end.

        ways[i] counts those of text[:i], insertions at its end included: the last edit is such an insertion, or the
        character before was kept, or it was touched.
        """
        inserted, touched = len(self.insertions), [len(self.touches(old)) for old in text]
        before = [1] * (len(text) + 1)  # no edits: one way
        while True:
            yield before[-1]
            ways = [inserted * before[0]]
            for i in range(1, len(text) + 1):
                ways.append(inserted * before[i] + ways[i - 1] + touched[i - 1] * before[i - 1])
            before = ways

    def texts(self, text: str, edits: int) -> Iterator[str]:
        """Yield the text of every script with at most ``most`` edits.

        Edits are made from left to right: what is done is final, and the next edit is at position i of the text or
        behind.  An insertion before t leaves t to be edited; deleting or substituting t does not.
        """
        stack = [("", 0, edits)]
        while stack:
            done, i, left = stack.pop()
            yield done + text[i:]
            if left == 0:
                continue
            for t in range(i, len(text) + 1):
                kept = done + text[i:t]
                stack += [(kept + new, t, left - 1) for new in self.insertions]
                if t < len(text):
                    stack += [(kept + new, t + 1, left - 1) for new in self.touches(text[t])]


@dataclass(frozen=True, order=True)
class Edit:
    """Insert ``new`` before the character at ``place``, or put it there instead ("": delete)."""

    place: int
    insert: bool
    new: str


class Script:
    """A script that grows edit by edit, in any order."""

    def __init__(self, threat: Threat, text: str) -> None:
        self._threat, self._text = threat, text
        self._inserted = [""] * (len(text) + 1)  # before each position, and at the end
        self._now = list(text)
        self._untouched = [t for t in range(len(text)) if threat.touches(text[t])]

    def __str__(self) -> str:
        return "".join(chain(*zip(self._inserted, [*self._now, ""], strict=True)))

    def make(self, edit: Edit) -> None:
        """Make one more edit."""
        if edit.insert:
            self._inserted[edit.place] += edit.new
        else:
            self._untouched.remove(edit.place)  # a character is touched once
            self._now[edit.place] = edit.new

    def with_edit(self, edit: Edit) -> Script:
        """Return a copy with one more edit."""
        other = copy(self)
        other._inserted, other._now, other._untouched = [*self._inserted], [*self._now], [*self._untouched]
        other.make(edit)
        return other

    def edits(self) -> Iterator[Edit]:
        """Give every edit that may be made next; insertions behind those made before at the same place."""
        for t in range(len(self._inserted)):
            yield from (Edit(t, insert=True, new=new) for new in self._threat.insertions)
        for t in self._untouched:
            yield from (Edit(t, insert=False, new=new) for new in self._threat.touches(self._text[t]))

    def random_edit(self, rng: random.Random) -> Edit | None:
        """Return one of these, deletions more often than others; None if there is none."""
        if self._threat.insertions and (not self._untouched or rng.random() < 0.4):
            return Edit(rng.randrange(len(self._inserted)), insert=True, new=rng.choice(self._threat.insertions))
        if not self._untouched:
            return None
        t = rng.choice(self._untouched)
        if self._threat.may_delete(self._text[t]) and rng.random() < 0.3:
            return Edit(t, insert=False, new="")
        return Edit(t, insert=False, new=rng.choice(self._threat.touches(self._text[t])))


# ---------------------------------------------------------------------------------------------------------------------
# 4. Rows

Rows = str | Path | Iterable[Any]


@dataclass(frozen=True)
class Row:
    """One certificate, as its file has it."""

    number: int
    text: Text
    label: str
    radius: int
    claim: str
    upper: int | None
    counterexample: Text | None
    threat: Any  # None in files of version 0.1
    unit: str | None
    target: str | None = None  # of a one-sided certificate
    class_radii: Mapping[str, int] | None = None
    fold: str | None = None


def read_rows(rows: Rows) -> Iterator[Row]:
    """Read the rows of a file (.csv, .jsonl, .parquet; a pipe: JSON lines), or certificates from memory."""
    where = f" of {rows}" if isinstance(rows, str | Path) else ""
    records = _records_of_file(rows) if isinstance(rows, str | Path) else map(_record_of_object, rows)
    number = 0
    while True:
        number += 1
        try:
            yield _row(number, next(records))
        except StopIteration:
            return
        except InputError:
            raise
        except OSError as error:
            raise InputError(f"Cannot read {rows}: {error.strerror or error}.") from None
        except (TypeError, ValueError, AttributeError, KeyError, OverflowError, RecursionError, csv.Error) as error:
            raise InputError(f"Row {number}{where} is not a certificate: {error}") from None


_LONGEST_LINE: Final = 2**26  # characters


def _records_of_file(path: str | Path) -> Iterator[dict[str, Any]]:
    path = Path(path)
    if path.suffix == ".csv":
        csv.field_size_limit(_LONGEST_LINE)
        # surrogatepass and newline="": every str comes back as it was written
        with path.open(encoding="utf-8", errors="surrogatepass", newline="") as file:
            yield from csv.DictReader(_lines(file), strict=True)
    elif path.suffix == ".parquet":
        import pyarrow.parquet as pq

        for batch in pq.ParquetFile(path).iter_batches():
            yield from batch.to_pylist()
    elif str(path) == "-":
        yield from map(json.loads, _lines(sys.stdin.buffer))
    elif path.suffix == ".jsonl" or path.is_fifo():
        with path.open("rb") as file:
            yield from map(json.loads, _lines(file))
    elif path.exists():
        raise InputError(f"Unknown file type: {path}. The name must end in .csv, .jsonl, .parquet.")
    else:
        raise FileNotFoundError(2, "there is no such file", str(path))


def _lines(file: IO[AnyStr]) -> Iterator[AnyStr]:
    """Give the lines of a file; one that is too long is an error before it is in memory."""
    while line := file.readline(_LONGEST_LINE + 1):
        if len(line) > _LONGEST_LINE:
            raise ValueError(f"its line is longer than {_LONGEST_LINE:,} characters.")
        yield line


def _record_of_object(row: Any) -> dict[str, Any]:
    names = ("text", "label", "radius", "claim", "upper", "counterexample", "threat", "unit", "target", "class_radii",
             "fold")  # fmt: skip
    return dict(row) if isinstance(row, Mapping) else {name: getattr(row, name, None) for name in names}


def _row(number: int, record: dict[str, Any]) -> Row:
    if not isinstance(record, dict) or None in record:
        raise TypeError("it has another number of columns than the header, or is not an object.")
    texts = {}
    for name in ("text", "counterexample"):  # csv and JSON hold bytes in hexadecimal
        written = record.get(f"{name}_hex")
        texts[name] = bytes.fromhex(written) if written is not None else record.get(name)
    missing = [name for name in ("label", "radius", "claim") if record.get(name) is None]
    if missing or texts["text"] is None:
        raise ValueError(f"it has no {', '.join(missing) or 'text'}.")
    upper = _whole(record.get("upper"))
    if upper is None and texts["counterexample"]:
        raise ValueError("it has a counterexample without its distance.")
    if upper is not None and texts["counterexample"] is None:
        raise ValueError("it has the distance of a counterexample without the counterexample.")
    if upper is None:  # csv writes an empty cell for "none"
        texts["counterexample"] = None
    radius = _whole(record["radius"])
    wrong = [name for name, text in texts.items() if not isinstance(text, str | bytes | None)]
    if wrong or radius is None or not all(isinstance(record[name], str) for name in ("label", "claim")):
        raise TypeError("a column has another type than docs/formats.md says.")
    threat, unit = record.get("threat") or None, record.get("unit") or None
    if isinstance(threat, str):
        threat = json.loads(threat)
    radii = record.get("class_radii") or None
    if isinstance(radii, str):
        radii = json.loads(radii)
    if radii is not None:
        radii = {str(label): _whole(radius) or 0 for label, radius in radii.items()}
    return Row(number, texts["text"], record["label"], radius, record["claim"], upper, texts["counterexample"],
               threat, unit, record.get("target") or None, radii, record.get("fold") or None)  # fmt: skip


def _whole(value: Any) -> int | None:
    if value is None or value == "":
        return None
    if isinstance(value, bool | float):
        raise TypeError(f"{value!r} is not a whole number.")
    return int(value)


def threat_of(row: Row, alphabet: Alphabet) -> Threat:
    """Return the threat that a row names; without one, any edit."""
    if row.unit is not None and row.unit != alphabet.kind:
        raise InputError(
            f"Row {row.number} speaks of edits of {row.unit}, and the model reads {alphabet.kind}; "
            "audit it with the model that it was made with."
        )
    given = row.threat
    if given is None:
        return Threat(alphabet)
    if not isinstance(given, Mapping):  # a levcert.Threat
        given = {name: getattr(given, name, None) for name in ("operations", "symbols", "neighbours", "deletable")}
    try:
        operations, neighbours = frozenset(map(str, given["operations"])), given.get("neighbours")
        if not operations or not operations <= _OPERATIONS or not given.keys() <= _THREAT_FIELDS:
            raise ValueError("unknown operations or fields")
        brought, deletable = (_units(given, name, alphabet) for name in ("symbols", "deletable"))
        near: dict[str, str] | None = None
        if neighbours is not None:
            near = {}
            for old, new in neighbours.items():
                for unit in alphabet.typed(old) if alphabet.kind == "bytes" else [old]:
                    near[unit] = near.get(unit, "") + alphabet.typed(new)
    except (TypeError, ValueError, KeyError, AttributeError) as error:
        raise InputError(f"Row {row.number} has a threat that cannot be read: {error}.") from None
    return Threat(alphabet, operations, brought, near, deletable)


def _units(given: Mapping[str, Any], name: str, alphabet: Alphabet) -> frozenset[str] | None:
    """Return a set of characters or bytes that a threat lists; bytes may be written in hexadecimal."""
    written = given.get(f"{name}_hex")
    listed = given.get(name) if written is None else bytes.fromhex(written)
    return None if listed is None else frozenset(alphabet.typed(listed))


_THREAT_FIELDS: Final = {"operations", "symbols", "symbols_hex", "neighbours", "deletable", "deletable_hex", "profile"}

# ---------------------------------------------------------------------------------------------------------------------
# 5. Verdicts

Verdict = Literal["REFUTED", "too close to call", "not refuted", "not checked", "confirmed by enumeration"]
VERDICTS: Final[tuple[Verdict, ...]] = (
    "confirmed by enumeration", "not refuted", "too close to call", "not checked", "REFUTED",
)  # fmt: skip

_SELF_CHECKS: Final = 0.01  # the share of texts that are scored from scratch as well
# What bounds the time and the memory of one row, whatever it says.
_LONGEST_TEXT: Final = 1_000_000  # characters or bytes
_MOST_UNITS: Final = 2**25  # characters or bytes of all texts that are looked at
_MOST_EDITS: Final = 10_000  # in one trial
_MOST_STEPS: Final = 2**26  # of measuring a distance, about a microsecond each


def _can_measure(text: str, limit: int) -> bool:
    """Say whether :meth:`Threat.distance` up to a limit takes a minute or two at most."""
    return len(text) * (2 * limit + 1) <= _MOST_STEPS


@dataclass(frozen=True)
class Finding:
    """What the audit has to say about one row."""

    row: int
    text: Text
    verdict: Verdict
    sentence: str
    witness: Text | None = None  # the text that refutes the row, or is too close to call
    looked_at: int = 0  # texts whose label was compared with the certificate's
    assumed_threat: bool = False  # the row names no threat: any edit was assumed

    def __str__(self) -> str:
        joint = " " if self.verdict == "not refuted" else ": "
        return f"row {self.row}: {self.verdict}{joint}{self.sentence}"


@dataclass(frozen=True)
class AuditReport:
    """All findings, in the order of the rows.

    Examples:
        >>> model = levcert.load("toy.safetensors")
        >>> report = levcert.audit("toy.safetensors", levcert.certify(model, ["hello"], max_distance=1))
        >>> report.refuted, len(report.findings)
        ((), 1)
    """

    findings: tuple[Finding, ...]

    @property
    def counts(self) -> dict[Verdict, int]:
        """The number of rows for each verdict."""
        counted = Counter(finding.verdict for finding in self.findings)
        return {verdict: counted[verdict] for verdict in VERDICTS}

    @property
    def refuted(self) -> tuple[Finding, ...]:
        return tuple(finding for finding in self.findings if finding.verdict == "REFUTED")

    @property
    def notes(self) -> list[str]:
        """What a reader of the counts must know."""
        assumed = sum(finding.assumed_threat for finding in self.findings)
        if not assumed:
            return []
        return [f"{_counted(assumed, 'row')} without a threat (levcert 0.1), checked against any edit."]

    def __str__(self) -> str:
        counts = ", ".join(f"{count:,} {verdict}" for verdict, count in self.counts.items() if count)
        return f"{_counted(len(self.findings), 'row')}: {counts or 'nothing to check'}"


def _counted(number: int, what: str) -> str:
    """Return "1 edit", "2 edits"."""
    return f"{number:,} {what}{'s' * (number != 1)}"


def audit(
    model_file: str | Path,
    rows: Rows,
    *,
    texts: int = 20_000,
    trials: int = 400,
    limit: int | None = None,
    sample: int | None = None,
    seed: int = 0,
) -> AuditReport:
    """Check certificates against a model file, independently of everything that made them.

    ``rows`` is a file of ``levcert certify -o``, or certificates.  A ball of at most ``texts`` scripts is enumerated,
    of others ``trials`` texts are tried.  ``limit`` takes the first rows only, ``sample`` random ones of them.

    Examples:
        >>> model = levcert.load("toy.safetensors")
        >>> rows = levcert.certify(model, ["hello world"], max_distance=1)
        >>> levcert.audit("toy.safetensors", rows).counts["REFUTED"]
        0
    """
    return AuditReport(
        tuple(audit_each(model_file, rows, texts=texts, trials=trials, limit=limit, sample=sample, seed=seed))
    )


def audit_each(
    model_file: str | Path,
    rows: Rows,
    *,
    texts: int = 20_000,
    trials: int = 400,
    limit: int | None = None,
    sample: int | None = None,
    seed: int = 0,
) -> Iterator[Finding]:
    """Give the findings of :func:`audit` one by one."""
    classifier = read_classifier(model_file)
    chosen: Iterable[Row] = islice(read_rows(rows), limit)
    if sample is not None:
        everything = list(chosen)
        picked = random.Random(seed).sample(range(len(everything)), min(sample, len(everything)))
        chosen = [everything[i] for i in sorted(picked)]
    for row in chosen:
        yield _find(classifier, row, texts, trials, seed)


class _Refuted(Exception):  # noqa: N818 - a result, not an error
    def __init__(self, sentence: str, witness: str | None = None) -> None:
        super().__init__(sentence)
        self.sentence, self.witness = sentence, witness


def _find(classifier: Classifier, row: Row, texts: int, trials: int, seed: int) -> Finding:
    """Check one row."""
    alphabet, threat = classifier.alphabet, threat_of(row, classifier.alphabet)
    try:
        text = alphabet.typed(row.text)
        other = None if row.counterexample is None else alphabet.typed(row.counterexample)
    except InputError as error:
        raise InputError(f"Row {row.number}: {error}") from None

    def finding(verdict: Verdict, sentence: str, witness: str | None = None, looked_at: int = 0) -> Finding:
        shown = None if witness is None else alphabet.shown(witness)
        return Finding(row.number, row.text, verdict, sentence, shown, looked_at, assumed_threat=row.threat is None)

    if row.claim.startswith("probability"):
        return finding("not checked", "the claim is about another classifier, the smoothed one")
    for label in (*([] if row.target is None else [row.target]), *(row.class_radii or ())):
        if label not in classifier.labels:
            return finding("REFUTED", f"the model has no label {label!r}")
    if row.claim not in ("proved", "exact", "substitutions only", "is the target"):
        return finding("not checked", f"the audit does not know the claim {row.claim!r}")
    if row.radius < 0:  # version 0.1 gave this radius to texts whose best scores are equal
        return finding("not checked", "a radius of −1 claims nothing")
    if row.fold not in (None, "none", alphabet.fold_name):
        return finding(
            "REFUTED", f"the row is about the fold {row.fold!r}, and the model has the fold {alphabet.fold_name!r}"
        )
    if max(len(text), len(other or "")) > _LONGEST_TEXT:
        return finding(
            "not checked", f"a text of more than {_LONGEST_TEXT:,} {alphabet.kind} is too long for the audit"
        )
    if other is not None and not _can_measure(text, min(row.upper or 0, len(text) + len(other))):
        return finding("not checked", "the counterexample is too many edits away to count them")
    try:
        label = _check_label(classifier, row, text)
        if label is None:
            return finding("too close to call", "rounding decides the label of the text itself", text)
        if row.claim == "is the target" or row.label == row.target:
            if (row.claim, row.target, row.radius) != ("is the target", row.label, 0):
                raise _Refuted(f"the row is about becoming {row.target!r}, and its label is {row.label!r}", text)
            return finding("confirmed by enumeration", f"the text itself has the label {row.label!r}")
        close = _check_counterexample(classifier, row, text, other, label, threat)
        if row.claim == "substitutions only":
            operations = threat.operations & {"substitute"}
            threat = Threat(alphabet, operations, threat.symbols, threat.neighbours, None, known_only=True)
        rng = random.Random(repr((seed, row.text)))  # the same text, the same trials
        target = None if row.target is None else classifier.labels.index(row.target)
        search = Search(classifier, text, label, threat, row.radius, rng, target)
        verdict, sentence = search.verdict(texts, trials)
        for name, radius in (row.class_radii or {}).items():
            if name == row.label:
                raise _Refuted(f"there is a radius for {name!r}, which is the label of the text itself", text)
            wanted = classifier.labels.index(name)
            one_sided = Search(classifier, text, label, threat, radius, rng, wanted)
            found, _ = one_sided.verdict(texts, trials)
            search.close = search.close or one_sided.close
            if found != "confirmed by enumeration":
                verdict = found
    except _Refuted as refuted:
        return finding("REFUTED", refuted.sentence, refuted.witness)
    if close is not None or search.close is not None:
        witness = search.close if close is None else close
        return finding("too close to call", "rounding decides the label of a text", witness, len(search.ahead))
    return finding(verdict, sentence, looked_at=len(search.ahead))


def _check_label(classifier: Classifier, row: Row, text: str) -> int | None:
    """Return the label's number; None if rounding decides it."""
    decision = classifier.decide(classifier.alphabet.encode(text))
    label = classifier.labels[decision.label]
    if label != row.label and (decision.certain or row.label not in classifier.labels):
        raise _Refuted(f"the text has the label {label!r}, not {row.label!r}", text)
    return decision.label if label == row.label else None


def _check_counterexample(
    classifier: Classifier, row: Row, text: str, other: str | None, label: int, threat: Threat
) -> str | None:
    """Check that the counterexample has another label and is as far away as is said; return it if rounding decides."""
    if other is None or row.upper is None:
        if row.claim == "exact":
            raise _Refuted("the claim is exact, but there is no counterexample")
        return None
    decision = classifier.decide(classifier.alphabet.encode(other))
    refutes = decision.label != label if row.target is None else classifier.labels[decision.label] == row.target
    if not refutes and decision.certain:
        wanted = " as well" if row.target is None else f", not {row.target!r}"
        raise _Refuted(f"the counterexample has the label {classifier.labels[decision.label]!r}{wanted}", other)
    distance = threat.distance(text, other, min(row.upper, len(text) + len(other)))
    if distance is None:
        raise _Refuted(f"the counterexample is not within {_counted(row.upper, 'allowed edit')} of the text", other)
    if distance != row.upper:
        raise _Refuted(f"the counterexample is {_counted(distance, 'edit')} away, not {row.upper}", other)
    if row.upper <= row.radius:
        raise _Refuted(
            f"the counterexample is {_counted(row.upper, 'edit')} away, within the radius {row.radius}", other
        )
    if row.claim == "exact" and row.upper != row.radius + 1:
        raise _Refuted(f"the claim is exact, with the radius {row.radius} and a counterexample at {row.upper}")
    return None if refutes else other


class Search:
    """The search for a text within the radius that has another label, or the label ``target``."""

    def __init__(
        self,
        classifier: Classifier,
        text: str,
        label: int,
        threat: Threat,
        radius: int,
        rng: random.Random,
        target: int | None = None,
    ) -> None:
        self.classifier, self.text, self.label, self.threat = classifier, text, label, threat
        self.radius, self.rng, self.target = radius, rng, target
        self.close: str | None = None  # a text whose label rounding decides
        self.ahead: dict[Ids, float] = {}  # texts that were looked at, and how far the label was ahead
        self.base = Neighbourhood(classifier, classifier.alphabet.encode(text))

    def verdict(self, most_texts: int, trials: int) -> tuple[Verdict, str]:
        """Enumerate the largest ball that fits the limit; beyond it, try texts."""
        room = max(3, _MOST_UNITS // (len(self.text) + 1))
        most_texts, trials = min(most_texts, room), min(trials, room)
        whole, edits = self._largest_ball(most_texts)
        for candidate in self.threat.texts(self.text, edits):
            self.look_at(candidate, self.base)
        within = _counted(self.radius, "substitution" if self.threat.known_only else "edit")
        within += " of known characters" * self.threat.known_only
        if whole:
            return "confirmed by enumeration", f"{_counted(len(self.ahead), 'text')} within {within}"
        # more than twice the length, and nothing of the text is left
        most = min(self.radius, 2 * len(self.text) + 10, _MOST_EDITS)
        tried = self._try_random_scripts(most, trials - 2 * (trials // 3))
        tried += self._try_best_edits_together(most, trials // 3, singles_known=edits > 0)
        tried += self._try_greedily(most, trials // 3)
        inside = f", and by all texts within {edits}" if edits > 0 else ""
        return "not refuted", f"by {_counted(tried, 'trial')} within {within}{inside}"

    def _largest_ball(self, most_texts: int) -> tuple[bool, int]:
        """Return whether the radius can be enumerated, and the edits of the largest ball that can be."""
        scripts = 0
        for edits, count in enumerate(self.threat.counts(self.text)):
            scripts += count
            if scripts > most_texts:
                return False, max(edits - 1, 0)
            if edits == self.radius or count == 0:  # 0: no script has this many edits or more
                return True, edits
        raise AssertionError("counts have no end")

    def look_at(self, candidate: str, base: Neighbourhood) -> float:
        """Compare the label of one text with the certificate's; return how far the label is ahead."""
        ids = self.classifier.alphabet.encode(candidate)
        if ids in self.ahead:
            return self.ahead[ids]
        scores = base.scores(ids)
        self.ahead[ids] = self._ahead(scores)
        if self.rng.random() < _SELF_CHECKS:
            self._compare(scores, self.classifier.scores(ids), ids)
        if not self._certainly_keeps(scores, ids):
            decision = self.classifier.decide(ids)  # from scratch
            lost = decision.label != self.label if self.target is None else decision.label == self.target
            if lost and not decision.certain:
                self.close = candidate
            elif lost and not _can_measure(self.text, min(self.radius, len(self.text) + len(candidate))):
                new = self.classifier.labels[decision.label]
                raise _Refuted(f"the radius is {self.radius}, and a text within it has the label {new!r}", candidate)
            elif lost:
                distance = self.threat.distance(self.text, candidate, self.radius)
                if distance is None:
                    raise AssertionError(f"the audit left the ball: {self.text!r} → {candidate!r}")
                new = self.classifier.labels[decision.label]
                edits = _counted(distance, "edit")
                raise _Refuted(f"the radius is {self.radius}, and {edits} can give the label {new!r}", candidate)
        return self.ahead[ids]

    def _ahead(self, scores: Numbers) -> float:
        """Return how far the label is ahead of the others, or the best of the others ahead of the target."""
        if self.target is None:
            return self.classifier.gap(scores, self.label)
        return max(score - scores[self.target] for other, score in enumerate(scores) if other != self.target)

    def _certainly_keeps(self, scores: Numbers, ids: Ids) -> bool:
        """Return whether these scores, summed in any order, certainly give no label that refutes the row."""
        if self.target is None:
            return self.classifier.keeps(scores, self.label, ids)
        if not self.classifier.model.exact:
            return self._ahead(scores) > 3 * self.classifier.rounding(ids)
        return scores.index(max(scores)) != self.target

    def _compare(self, quick: Numbers, slow: Numbers, ids: Ids) -> None:
        allowance = 0.0 if self.classifier.model.exact else 3 * self.classifier.rounding(ids)
        if not all(abs(a - b) <= allowance for a, b in zip(quick, slow, strict=True)):
            raise AssertionError(f"the audit scores {ids} in two ways and gets {quick} and {slow}")

    def _try_random_scripts(self, most: int, trials: int) -> int:
        for _ in range(trials):
            script = Script(self.threat, self.text)
            for _ in range(self.rng.choice([most, self.rng.randint(1, most)])):
                edit = script.random_edit(self.rng)
                if edit is not None:
                    script.make(edit)
            self.look_at(str(script), self.base)
        return trials

    def _try_best_edits_together(self, most: int, trials: int, *, singles_known: bool) -> int:
        """Make the best single edits at once; then those of them that are too far apart to share a window."""
        start = Script(self.threat, self.text)
        if singles_known:  # they have been enumerated
            singles, tried = set(start.edits()), 0
        else:
            singles = {edit for _ in range(trials) if (edit := start.random_edit(self.rng)) is not None}
            tried = len(singles)
        ranked = sorted((self.look_at(str(start.with_edit(edit)), self.base), edit) for edit in singles)
        for apart in (0, self.classifier.model.width):
            script, made = Script(self.threat, self.text), list[Edit]()
            for _, edit in ranked:
                if len(made) < most and not any(
                    abs(edit.place - other.place) < apart or (edit.place, edit.insert) == (other.place, other.insert)
                    for other in made
                ):
                    script.make(edit)
                    made.append(edit)
            self.look_at(str(script), self.base)
        return tried + 2

    def _try_greedily(self, most: int, trials: int) -> int:
        """Make, out of some random edits, the one that brings another label nearest, again and again."""
        best, base, tried = Script(self.threat, self.text), self.base, 0
        for _ in range(min(most, trials)):
            edits = [best.random_edit(self.rng) for _ in range(max(1, trials // most))]
            options = [best.with_edit(edit) for edit in edits if edit is not None]
            if not options:
                break
            ahead = [self.look_at(str(option), base) for option in options]
            tried += len(options)
            best = options[ahead.index(min(ahead))]
            base = Neighbourhood(self.classifier, self.classifier.alphabet.encode(str(best)))
        return tried
