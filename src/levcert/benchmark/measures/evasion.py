"""How evaders make one class pass as another: they disguise characters, and edit the texts of that class."""

from __future__ import annotations

import random
import time
from collections.abc import Mapping
from functools import cache
from typing import Any, Final

import numpy as np

import levcert
from levcert.attacks.attack import ATTACKS
from levcert.benchmark.measures.base import Flags, Measurement, Spec, Subject, percent
from levcert.errors import InputError
from levcert.text.folding import NOTHING, Fold

_DISGUISES: Final = 3  # of each text: look-alikes, invisible characters, both


def evaders(subject: Subject, spec: Spec) -> Flags:
    """Return which texts belong to the class that evades, given by its number in the model's labels."""
    name = subject.model.labels[spec["evaders"]]
    flags: Flags = np.array([truth == name for truth in subject.truth], dtype=bool)
    if not flags.any():
        raise InputError(f"No text has the label {name!r}.")
    return flags


def evasion(subject: Subject, spec: Spec) -> Measurement:
    """The share of the texts of one class that are caught, and for which an attack finds no k edits to pass.

    The model may be a function; ``most`` limits the attack to the first texts of the class.
    """
    name, rows = spec["name"], np.flatnonzero(evaders(subject, spec))[: spec.get("most")]
    texts, right = [subject.texts[row] for row in rows], subject.right[rows]
    method, distances = ATTACKS[spec["method"]](**spec.get("options", {})), spec["distances"]
    caught = [text for text, is_right in zip(texts, right, strict=True) if is_right]
    started = time.process_time()
    found = levcert.attack(subject.model, caught, method, max_distance=max(distances))
    seconds = (time.process_time() - started) / max(len(caught), 1)
    distance = np.zeros(len(texts))  # of texts that pass as they are
    distance[right] = [np.inf if result.distance is None else result.distance for result in found]
    values = {f"{name} k={k}": percent(distance > k) for k in (0, *distances)}
    return Measurement(values | {f"{name} seconds": seconds, f"{name} texts": float(len(texts))})


def disguise(subject: Subject, spec: Spec) -> Measurement:
    """The share of texts that keep the right label when no letter is edited, but all of them are disguised.

    Each text is disguised in three ways: every character that has look-alikes (fold ``lookalikes``) is replaced by a
    random one of them; an invisible character is put between all characters; both.  A text counts if all three are
    right.
    """
    name, flags = spec["name"], evaders(subject, spec)
    kept = subject.right.copy()
    for number in range(_DISGUISES):
        texts = [disguised(text, number, random.Random(f"{number} {text}")) for text in subject.texts]
        kept &= subject.model.predict(texts) == np.array(subject.truth, dtype=np.str_)
    return Measurement({name: percent(kept), f"{name} recall": percent(kept[flags])})


def disguised(text: str, number: int, rng: random.Random) -> str:
    """Return a text with look-alikes (0), invisible characters (1) or both (2)."""
    fold, similar = Fold.named("lookalikes"), _similar()
    swapped = [rng.choice(similar.get(fold(c), [c])) if number != 1 and fold(c) else c for c in text]
    return ("" if number == 0 else rng.choice(_INVISIBLE)).join(swapped)


_INVISIBLE: Final = "\N{ZERO WIDTH SPACE}\N{ZERO WIDTH NON-JOINER}\N{SOFT HYPHEN}\N{WORD JOINER}"


@cache
def _similar() -> Mapping[str, list[str]]:
    """Return for each folded character those outside ASCII that are folded to it."""
    similar: dict[str, list[str]] = {}
    columns: Any = (column.tolist() for column in Fold.named("lookalikes").points)
    for source, target in zip(*columns, strict=True):
        if target != NOTHING and source > 127 and not chr(source).isspace():
            similar.setdefault(chr(target), []).append(chr(source))
    return similar
