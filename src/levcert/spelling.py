"""Between a text and what a model sees of it: folded characters, without those that its alphabet drops."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from levcert.alphabet import Alphabet, Text, as_bytes
from levcert.edits import Edit, apply_edits


def native(alphabet: Alphabet, text: Text) -> Text:
    """Return a text in the units that its model is about: the bytes of a str, for a byte model."""
    return as_bytes(text) if alphabet.kind == "bytes" else text


def spelled(alphabet: Alphabet, text: Text) -> Text:
    """Return the text as a model with this alphabet sees it."""
    return alphabet.decode(alphabet.encode(text))


def apply_to_original(alphabet: Alphabet, text: Text, edits: Sequence[Edit]) -> Text:
    """Apply edits whose positions are those of ``spelled(text)`` to the text itself.

    Characters that the model does not see stay where they are, and capitals stay capitals, so the result is as
    many edits away from the text as the edits are.
    """
    places = alphabet.positions(text)
    moved = [
        replace(edit, position=int(places[edit.position]) if edit.position < len(places) else len(text))
        for edit in edits
    ]
    return apply_edits(text, moved)
