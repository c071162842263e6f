"""Folds: which characters count as the same one, and which as none at all.

A fold maps each character, independently of the others, to one character or to nothing, and folding twice is folding
once. So it never lengthens the distance between two texts (see ``alphabet``), and two texts that differ only in
characters with the same fold, or in characters that fold to nothing, have the same ids: **any number of such changes
is free**.  That is why whole-string rules have no place here: NFKC composes and splits characters, and "rn" for "m"
is two characters for one.

=============  ================================================================================================
``none``       nothing changes
``case``       capitals become small letters, where that is one character
``lookalikes`` in addition: characters that look alike, accents and compatibility forms, white space of any kind become
               one character, and invisible and combining characters nothing
``leet``       in addition: digits and signs become the letters that they stand for in "leet" (3 → e, $ → s)
``letters``    ``lookalikes``, and white space, punctuation and symbols become nothing
=============  ================================================================================================

The last three come from ``lookalikes.txt``, which tools/make_lookalikes.py makes of Unicode's tables.  A model file
holds the whole table of its fold, so its answers do not depend on the Unicode version of the Python that runs it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache, cached_property
from importlib import resources
from typing import Any, Final, Literal, get_args

import numpy as np
import numpy.typing as npt

from levcert.errors import InputError

FoldName = Literal["none", "case", "lookalikes", "leet", "letters"]
FOLDS: Final = get_args(FoldName)
NOTHING: Final = -1
CODE_POINTS: Final = sys.maxunicode + 1
Points = npt.NDArray[np.int32]


@dataclass(frozen=True)
class Fold:
    """A fold by its name; ``changes`` is its table as a model file holds it, one line for each target.

    A line is ``target:characters``, in hexadecimal code points and runs of them (``61:41 c0-c5 430``); without a
    target, the characters are dropped.  "none" and "case" have no table.
    """

    name: str
    version: str = ""
    changes: str | None = field(default=None, repr=False)

    @classmethod
    def named(cls, name: object) -> Fold:
        """Return one of the folds of the package; None is the fold "none"."""
        if isinstance(name, Fold):
            return name
        if name is None or name in ("none", "case"):
            return cls(name or "none")
        if name not in FOLDS:
            raise InputError(f"fold must be one of {', '.join(FOLDS)}, not {name!r}.")
        return _packaged(str(name))

    @classmethod
    def from_dict(cls, fields: Any) -> Fold:
        """Read what :meth:`to_dict` wrote, and check that the table is a fold."""
        texts = isinstance(fields, dict) and all(isinstance(value, str) for value in fields.values())
        if not texts or fields.keys() != {"name", "version", "changes"}:
            raise InputError("The fold of the alphabet is damaged.")
        fold = cls(**fields)
        fold.points  # noqa: B018 - raises if the table is no fold
        return fold

    def to_dict(self) -> dict[str, str | None]:
        return {"name": self.name, "version": self.version, "changes": self.changes}

    def __call__(self, character: str) -> str:
        """Return what one character becomes: one character, or ""."""
        if self.changes is None:
            return lower(character) if self.name == "case" else character
        target = self._target.get(ord(character))
        return character if target is None else "" if target == NOTHING else chr(target)

    @cached_property
    def points(self) -> tuple[Points, Points]:
        """All code points that the fold changes, and what they become; ``NOTHING`` where they are dropped."""
        if self.changes is None:
            return _capitals() if self.name == "case" else (np.zeros(0, np.int32), np.zeros(0, np.int32))
        return _parsed(self.changes)

    @cached_property
    def _target(self) -> dict[int, int]:
        return dict(zip(*(column.tolist() for column in self.points), strict=True))

    @property
    def drops(self) -> bool:
        """Whether the fold drops any character."""
        return bool((self.points[1] == NOTHING).any()) if self.changes is not None else False


def lower(character: str) -> str:
    """Lower-case a character if that gives one character, and leave it unchanged otherwise ("İ").

    ``str.lower`` on a whole text may change its length, and with it the distance between two texts.
    """
    small = character.lower()
    return small if len(small) == 1 else character


def left_out() -> list[tuple[str, str]]:
    """Return the pairs of capital and small letters, and of look-alikes, that the table keeps apart."""
    lines = _sections()["left out"]
    return [(chr(int(a, 16)), chr(int(b, 16))) for a, b in (line.split() for line in lines)]


def _parsed(changes: str) -> tuple[Points, Points]:
    """Read a table; anything that is not a fold is rejected."""
    sources: list[Points] = []
    targets: list[Points] = []
    total = 0
    try:
        for line in changes.splitlines():
            target, colon, characters = line.partition(":")
            new = int(target, 16) if target else NOTHING
            if not colon or (target and not 0 <= new < CODE_POINTS):
                raise ValueError
            for first, last in map(_run, characters.split()):
                total += last - first + 1
                if not (0 <= first <= last < CODE_POINTS and total <= CODE_POINTS):
                    raise ValueError
                sources.append(np.arange(first, last + 1, dtype=np.int32))
                targets.append(np.full(last - first + 1, new, dtype=np.int32))
    except ValueError:
        raise InputError("The fold of the alphabet is damaged.") from None
    empty = [np.zeros(0, dtype=np.int32)]
    changed, become = np.concatenate(sources or empty), np.concatenate(targets or empty)
    is_changed = np.zeros(CODE_POINTS, dtype=bool)
    is_changed[changed] = True
    if np.count_nonzero(is_changed) < len(changed) or is_changed[become[become != NOTHING]].any():
        raise InputError("The fold of the alphabet is damaged: it changes a character twice.")
    return changed, become


def _run(written: str) -> tuple[int, int]:
    first, _, last = written.partition("-")
    return int(first, 16), int(last or first, 16)


@cache
def _packaged(name: str) -> Fold:
    """Return a fold that lookalikes.txt describes: its first section, and what another puts on top of it."""
    sections = _sections()
    changes = "\n".join(sections["lookalikes"])
    if name != "lookalikes":
        changes = _written(_composed(_parsed(changes), _parsed("\n".join(sections[name]))))
    return Fold(name, sections["version"][0], changes)


@cache
def _sections() -> dict[str, list[str]]:
    sections: dict[str, list[str]] = {}
    lines: list[str] = []
    for line in resources.files("levcert.text").joinpath("lookalikes.txt").read_text(encoding="ascii").splitlines():
        if line.startswith("version "):
            sections["version"] = [line.removeprefix("version ")]
        elif line.startswith("["):
            lines = sections[line[1 : line.index("]")]] = []
        elif not line.startswith("#"):
            lines.append(line)
    return sections


def _composed(first: tuple[Points, Points], then: tuple[Points, Points]) -> dict[int, int]:
    """Return the table of one fold after another."""
    table, on_top = dict(_pairs(first)), dict(_pairs(then))
    composed = {source: on_top.get(target, target) for source, target in table.items()}
    return composed | {source: target for source, target in on_top.items() if source not in table}


def _pairs(points: tuple[Points, Points]) -> Iterator[tuple[int, int]]:
    return zip(points[0].tolist(), points[1].tolist(), strict=True)


def _written(table: dict[int, int]) -> str:
    """Return a table as the text of a model file."""
    lines: dict[int, list[list[int]]] = {}
    for source, target in sorted(table.items(), key=lambda pair: (pair[1], pair[0])):
        runs = lines.setdefault(target, [])
        if runs and runs[-1][1] == source - 1:
            runs[-1][1] = source
        else:
            runs.append([source, source])
    return "\n".join(
        f"{'' if target == NOTHING else format(target, 'x')}:"
        + " ".join(f"{a:x}" if a == b else f"{a:x}-{b:x}" for a, b in runs)
        for target, runs in lines.items()
    )


@cache
def _capitals() -> tuple[Points, Points]:
    """Return all code points that :func:`lower` changes, and what it changes them to."""
    capitals, small = [], []
    for start in range(0, CODE_POINTS, 256):
        block = "".join(map(chr, range(start, start + 256)))
        if block.lower() != block:  # most blocks contain no capital: skipping them makes this 20 times faster
            changed = [c for c in block if lower(c) != c]
            capitals += [ord(c) for c in changed]
            small += [ord(lower(c)) for c in changed]
    return np.array(capitals, dtype=np.int32), np.array(small, dtype=np.int32)
