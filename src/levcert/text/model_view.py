"""Translate between a text and what a model sees of it: folded, without the characters that its alphabet drops."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from levcert.text.alphabet import Alphabet, Text, as_bytes
from levcert.text.edits import Edit, Operation, allowed_script, apply_edits, edit_script
from levcert.text.threat import Threat


def native(alphabet: Alphabet, text: Text) -> Text:
    """Return a text in the units of its model: for a byte model, the bytes of a str."""
    return as_bytes(text) if alphabet.kind == "bytes" else text


def spelled(alphabet: Alphabet, text: Text) -> Text:
    """Return the text as a model with this alphabet sees it."""
    return alphabet.decode(alphabet.encode(text))


def has_dropped(alphabet: Alphabet, text: Text) -> bool:
    """Return whether a text contains characters that the model does not see."""
    return alphabet.drops and len(alphabet.encode(text)) < len(text)


def seen_script(alphabet: Alphabet, threat: Threat, text: Text, target: Text, most: int) -> list[Edit] | None:
    """Return at most ``most`` allowed edits that turn ``spelled(text)`` into ``target``; None if there are none.

    A target with a symbol that the model does not see is nothing that edits of ids lead to.
    """
    source = spelled(alphabet, text)
    if threat.unrestricted:
        script = edit_script(source, target)
        return script if len(script) <= most else None
    allowed = threat.allowed(alphabet, dropped=has_dropped(alphabet, text))
    number = {alphabet.decode([id_]): id_ - 1 for id_ in range(1, alphabet.size + 1)}
    return allowed_script(
        source,
        target,
        most,
        insert=lambda symbol: symbol in number and bool(allowed.insert[number[symbol]]),
        delete=lambda symbol: bool(allowed.delete[number[symbol]]),
        replace=lambda old, new: new in number and bool(allowed.replace[number[old], number[new]]),
    )


def typed(alphabet: Alphabet, threat: Threat, text: Text, edits: Sequence[Edit]) -> Text | None:
    """Make edits of ``spelled(text)`` to the text itself, as the attacker would type them.

    Characters that the model does not see stay where they are, and capitals stay capitals, so the result is as
    many allowed edits away from the text as there are edits.  None if some edit cannot be typed: without insertions,
    an id can be inserted only where the text has a dropped character to substitute.
    """
    writer = _Typist(alphabet, threat, text)
    moved = [writer.typed(edit) for edit in sorted(edits, key=lambda edit: edit.position)]
    return None if None in moved else apply_edits(text, [edit for edit in moved if edit is not None])


class _Typist:
    """Finds for each edit of the ids an allowed edit of the text; edits come in the order of the text."""

    def __init__(self, alphabet: Alphabet, threat: Threat, text: Text) -> None:
        self.alphabet, self.threat, self.text = alphabet, threat, text
        self.places = alphabet.positions(text)
        self.free = 0  # dropped characters before this position have been used

    def typed(self, edit: Edit) -> Edit | None:
        if edit.operation == Operation.INSERT:
            return self._insertion(edit)
        place = int(self.places[edit.position])
        old = self.text[place : place + 1]
        if edit.operation == Operation.DELETE and self.threat.may_delete(old, fold=self.alphabet.fold):
            return Edit(Operation.DELETE, place)
        new = next((c for c in self._spellings(edit.symbol) if self._may_substitute(old, c)), None)
        return None if new is None else Edit(Operation.SUBSTITUTE, place, new)

    def _insertion(self, edit: Edit) -> Edit | None:
        before = int(self.places[edit.position - 1]) + 1 if edit.position else 0
        after = int(self.places[edit.position]) if edit.position < len(self.places) else len(self.text)
        for new in self._spellings(edit.symbol):
            if self.threat.may_insert(new):
                return Edit(Operation.INSERT, after, new)
        for place in range(max(before, self.free), after):  # dropped characters, each to be substituted once
            old = self.text[place : place + 1]
            for new in self._spellings(edit.symbol):
                if self._may_substitute(old, new):
                    self.free = place + 1
                    return Edit(Operation.SUBSTITUTE, place, new)
        return None

    def _may_substitute(self, old: Text, new: Text) -> bool:
        return self.threat.may_substitute(old, new, fold=self.alphabet.fold)

    def _spellings(self, symbol: Text | None) -> Iterator[Text]:
        """Give characters that have the same id as a symbol; for None, characters that have no id."""
        id_ = self.alphabet.encode(symbol) if symbol is not None else np.zeros(0, dtype=np.int32)
        if symbol is not None:
            yield symbol
        elif self.alphabet.drops:
            yield self.alphabet.dropped_character
        known: set[Text] = set()
        listed = [self.threat.symbols or "", *(self.threat.neighbours or {}).values()]
        for given in listed:
            characters = native(self.alphabet, given)
            known.update(characters[i : i + 1] for i in range(len(characters)))
        for character in sorted(known):
            if np.array_equal(self.alphabet.encode(character), id_):
                yield character
