"""Write src/levcert/text/lookalikes.txt: which character each character of Unicode is folded to.

Run ``python tools/make_lookalikes.py`` with ``confusable-homoglyphs`` installed (the extra ``dev``).  The table is a
file of the package, not computed at training time: so every Python trains the same model, and neither training nor
reading a model needs that package.

A fold must treat each character on its own and come to rest, so the table consists of classes of characters that
count as the same one.  Characters are joined for four reasons, in this order:

1. capitals and look-alikes within ASCII (O and 0; I, l, 1 and |); white space of any kind and the space;
2. compatibility forms (full-width, mathematical, circled) and accents: NFKD without marks, if one character is left;
3. letters of other styles by their names (squared, regional indicators, small capitals), and the pairs of Unicode's
   confusables.txt (without marks) that are one character on both sides;
4. capital and small letters of all scripts.

Two classes that both have a character of ASCII are never joined after the first step: otherwise the Greek capital Ν,
which looks like N, would make n of its small letter ν, which looks like v.  The file lists the pairs left out for
this reason.
"""

from __future__ import annotations

import json
import re
import sys
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator
from importlib import metadata, resources
from pathlib import Path

TABLE = Path(__file__).parents[1] / "src" / "levcert" / "text" / "lookalikes.txt"
ASCII = frozenset(map(chr, range(32, 127)))
EVERYTHING = [chr(point) for point in range(sys.maxunicode + 1)]
# Default-ignorable characters that are no format characters by their category, reserved ones included
FILLERS = frozenset(
    map(chr, [0x115F, 0x1160, 0x2065, 0x3164, 0xFFA0, *range(0xFFF0, 0xFFF9), *range(0xE0000, 0xE1000)])
)
BRAILLE_BLANK = "\u2800"
STYLED = re.compile(
    "(?:(?:CROSSED )?NEGATIVE (?:CIRCLED|SQUARED) LATIN CAPITAL LETTER|REGIONAL INDICATOR SYMBOL LETTER"
    "|LATIN LETTER SMALL CAPITAL) ([A-Z])"
)
LEET = {"4": "a", "@": "a", "8": "b", "3": "e", "6": "g", "9": "g", "!": "l", "5": "s", "$": "s", "7": "t", "+": "t",
        "2": "z"}  # fmt: skip


def invisible(character: str) -> bool:
    """Say whether a character is dropped: a combining mark, a format or control character, a filler."""
    category = unicodedata.category(character)
    control = category == "Cc" and not character.isspace()
    return category in ("Mn", "Me", "Cf") or character in FILLERS or control


def bare(text: str) -> str:
    return "".join(character for character in text if not invisible(character))


class Classes:
    """Characters that count as the same one (union-find); at most one class holds a given character of ASCII."""

    def __init__(self) -> None:
        self._parent: dict[str, str] = {}
        self._anchored = set(ASCII)
        self.left_out: list[tuple[str, str]] = []

    def of(self, character: str) -> str:
        while character in self._parent:
            character = self._parent[character]
        return character

    def join(self, a: str, b: str, *, within_ascii: bool = False) -> None:
        one, other = self.of(a), self.of(b)
        if one == other or invisible(a) or invisible(b):
            return
        if not within_ascii and {one, other} <= self._anchored:
            self.left_out.append((min(a, b), max(a, b)))
            return
        self._parent[other] = one
        if other in self._anchored:
            self._anchored.add(one)

    def members(self) -> Iterator[list[str]]:
        found = defaultdict(list)
        for character in EVERYTHING:
            if not invisible(character):
                found[self.of(character)].append(character)
        return iter(found.values())


def confusable_pairs() -> list[tuple[str, str]]:
    data = resources.files("confusable_homoglyphs").joinpath("confusables.json").read_text(encoding="utf-8")
    pairs = {(bare(a), bare(other["c"])) for a, others in json.loads(data).items() for other in others}
    return sorted({(min(a, b), max(a, b)) for a, b in pairs if len(a) == len(b) == 1 and a != b})


def joined() -> Classes:
    classes, pairs = Classes(), confusable_pairs()
    for capital in "ABCDEFGHIJKLMNOPQRSTUVWXYZ":
        classes.join(capital.lower(), capital, within_ascii=True)
    for a, b in pairs:
        if {a, b} <= ASCII:
            classes.join(a, b, within_ascii=True)
    for character in [*filter(str.isspace, EVERYTHING), BRAILLE_BLANK]:
        classes.join(" ", character)
    for character in EVERYTHING:
        simple = unicodedata.normalize("NFKD", character)
        if len(bare(simple)) == 1 and not simple[0].isspace():  # a spacing accent such as ¨ is no space
            classes.join(bare(simple), character)
    for character in EVERYTHING:
        if match := STYLED.fullmatch(unicodedata.name(character, "")):
            classes.join(match[1], character)
    for a, b in pairs:
        classes.join(a, b)
    for character in EVERYTHING:
        for other in (character.lower(), character.upper()):
            if len(other) == 1:
                classes.join(character, other)
    return classes


def representative(members: list[str]) -> str:
    """Return the character that stands for a class: a small letter of ASCII (of i and l, l, as Unicode has it)."""
    known = [character for character in members if character in ASCII]
    small = [character for character in known if character.islower()]
    others = [character for character in members if character.lower() == character]
    return max(small, default="") or min(known, default="") or min(others or members)


def written(characters: Iterable[str]) -> str:
    """Return code points in hexadecimal, runs of them as first-last."""
    runs: list[list[int]] = []
    for point in sorted(map(ord, characters)):
        if runs and point == runs[-1][1] + 1:
            runs[-1][1] = point
        else:
            runs.append([point, point])
    return " ".join(f"{a:x}" if a == b else f"{a:x}-{b:x}" for a, b in runs)


def main() -> None:
    classes = joined()
    groups = {representative(members): members for members in classes.members()}
    letters = [c for c in groups if unicodedata.category(c)[0] in "PSZ" or c.isspace()]
    source = f"unicode {unicodedata.unidata_version}, confusable-homoglyphs {metadata.version('confusable-homoglyphs')}"
    lines = [
        "# Made by tools/make_lookalikes.py.  target:characters that are folded to it; an empty target: dropped.",
        f"version {source}",
        "[lookalikes]",
        f":{written(filter(invisible, EVERYTHING))}",
    ]
    for target, members in sorted(groups.items()):
        if len(members) > 1:
            lines.append(f"{ord(target):x}:{written(c for c in members if c != target)}")
    lines += ["[leet] on top of lookalikes"]
    for target in sorted(set(LEET.values())):
        lines.append(f"{ord(target):x}:{written(c for c, t in LEET.items() if t == target)}")
    lines += ["[letters] on top of lookalikes", f":{written(letters)}"]
    lines += ["[left out] pairs that would join two characters of ASCII"]
    lines += sorted({f"{ord(a):x} {ord(b):x}" for a, b in classes.left_out})
    TABLE.write_text("\n".join(lines) + "\n", encoding="ascii", newline="\n")


if __name__ == "__main__":
    main()
