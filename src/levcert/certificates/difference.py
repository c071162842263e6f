"""How a counterexample is shown to people: what was removed, what was added, and which label it gets instead."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from typing import Final, Literal

from levcert.models.window import WindowModel
from levcert.text.alphabet import Text
from levcert.text.edits import Operation, edit_script

Kind = Literal["same", "removed", "added"]

_SHOWN: Final = {" ": "␣", "\n": "⏎", "\r": "␍", "\t": "⇥"}


@dataclass(frozen=True)
class Part:
    """A piece of a text, and whether it was in both texts, only in the first, or only in the second."""

    kind: Kind
    text: str


@dataclass(frozen=True)
class Counterexample:
    """A text so many edits away that has another label."""

    text: Text
    distance: int
    label: str
    difference: list[Part]


def describe(model: WindowModel, text: Text, changed: Text, distance: int) -> Counterexample:
    """Say what was edited, and which label the model gives the edited text."""
    return Counterexample(changed, distance, str(model.predict([changed])[0]), difference(text, changed))


def difference(source: Text, target: Text) -> list[Part]:
    """Return what two texts share and what not, in order; of a run of edits, first all that is gone."""
    parts: list[tuple[Kind, Text]] = []
    empty = source[:0]
    copied, gone, new = 0, empty, empty

    def flush(until: int) -> None:
        nonlocal copied, gone, new
        parts.extend([("removed", gone), ("added", new), ("same", source[copied:until])])
        copied, gone, new = until, empty, empty

    for edit in edit_script(source, target):
        if edit.position > copied:
            flush(edit.position)
        if edit.operation != Operation.INSERT:
            gone += source[edit.position : edit.position + 1]  # type: ignore[operator]
            copied = edit.position + 1
        if edit.symbol is not None:
            new += edit.symbol  # type: ignore[operator]
    flush(len(source))
    return [Part(kind, readable(text)) for kind, text in parts if text]


def readable(text: Text) -> str:
    r"""Return a text as valid Unicode; bytes and surrogates that are none appear as \xff or \ud800."""
    if isinstance(text, bytes):
        return text.decode("utf-8", "backslashreplace")
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def visible(text: str) -> str:
    """Return an edit's characters so that each can be seen: signs for spaces, code points for what has no shape."""
    return "".join(_SHOWN.get(c) or (c if _has_shape(c) else f"U+{ord(c):04X}") for c in text)


def _has_shape(character: str) -> bool:
    return unicodedata.category(character)[0] not in "CZM"
