"""The difference of two texts: what was removed and what was added, for people to see."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, Generic, Literal, TypeVar

from levcert.text.alphabet import Text
from levcert.text.edits import Operation, edit_script

Kind = Literal["same", "removed", "added"]
T = TypeVar("T", bound=Text)

_SHOWN: Final = {" ": "␣", "\n": "⏎", "\r": "␍", "\t": "⇥"}


@dataclass(frozen=True)
class Part(Generic[T]):
    """A piece of a text, and whether it was in both texts, only in the first, or only in the second."""

    kind: Kind
    text: T


@dataclass(frozen=True)
class Counterexample:
    """A text at some distance that gets another label."""

    text: Text
    distance: int
    label: str
    difference: list[Part[str]]


def describe(model: Any, text: Text, changed: Text, distance: int) -> Counterexample:
    """Say what was edited, and which label the model gives the edited text."""
    parts = [Part(part.kind, readable(part.text)) for part in difference(text, changed)]
    return Counterexample(changed, distance, str(model.predict([changed])[0]), parts)


def difference(source: Text, target: Text) -> list[Part[Text]]:
    """Return what two texts share and what they do not, in order; within a run of edits, removals come first."""
    parts: list[Part[Text]] = []
    empty = source[:0]
    copied, gone, new = 0, empty, empty

    def flush(until: int) -> None:
        nonlocal copied, gone, new
        parts.extend([Part("removed", gone), Part("added", new), Part("same", source[copied:until])])
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
    return [part for part in parts if part.text]


def excerpt(parts: Sequence[Part[T]], around: int, shown: Callable[[T], str] = str) -> list[Part[str]]:
    """Return the parts as ``shown`` writes them; of what was not edited, only ``around`` characters near each edit."""
    last = len(parts) - 1
    result = []
    for number, part in enumerate(parts):
        before, after = around * (number > 0), around * (number < last)
        if part.kind == "same" and last > 0 and len(part.text) > before + after:
            end = len(part.text) - after
            text = f"{shown(part.text[:before])}…{shown(part.text[end:])}"  # type: ignore[arg-type]  # slices are T
        else:
            text = shown(part.text)
        result.append(Part(part.kind, text))
    return result


def readable(text: Text) -> str:
    r"""Return a text as valid Unicode; invalid bytes and lone surrogates appear as \xff or \ud800."""
    if isinstance(text, bytes):
        return text.decode("utf-8", "backslashreplace")
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def visible(text: str) -> str:
    """Return an edit's characters so that each can be seen: signs for spaces, code points for what has no shape."""
    return "".join(_SHOWN.get(c) or (c if _has_shape(c) else f"U+{ord(c):04X}") for c in text)


def _has_shape(character: str) -> bool:
    return unicodedata.category(character)[0] not in "CZM"
