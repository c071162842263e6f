"""All attacks by name, and the function that users call."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Any, Final

import numpy as np

from levcert.alphabet import Alphabet, Text
from levcert.attacks.base import Attack, AttackResult
from levcert.attacks.charmer_abad_rocamora_2024 import Charmer
from levcert.attacks.greedy import Beam, Greedy
from levcert.attacks.random_edits import RandomEdits
from levcert.attacks.victim import AnyVictim, Victim, WindowVictim, losses, victim_of_function
from levcert.certifiers.classifier import as_classifier
from levcert.edits import OPERATIONS, Operation, edit_script
from levcert.errors import InputError
from levcert.models.window import WindowModel
from levcert.spelling import apply_to_original, spelled
from levcert.threat import Threat

ATTACKS: Final[dict[str, type[Attack]]] = {
    "charmer": Charmer,
    "greedy": Greedy,
    "beam": Beam,
    "random": RandomEdits,
}


def attack(
    model: WindowModel | Callable[[list[Text]], Any],
    texts: Iterable[Text],
    method: str | Attack = "charmer",
    *,
    max_distance: int = 2,
    operations: Collection[Operation] = OPERATIONS,
    threat: Threat | None = None,
    alphabet: Alphabet | Text | None = None,
) -> list[AttackResult]:
    """Look for texts within ``max_distance`` edits that the model labels otherwise.

    ``method`` is a name from ``ATTACKS`` or an instance with options.  For a function instead of a model,
    ``alphabet`` is what the attacker may bring in (default: printable ASCII), and the function must give scores.
    """
    if isinstance(texts, str | bytes):
        raise InputError("One text was given where a list of texts is expected; write [text].")
    return list(
        attack_each(
            model, texts, method, max_distance=max_distance, operations=operations, threat=threat, alphabet=alphabet
        )
    )


def attack_each(
    model: WindowModel | Callable[[list[Text]], Any],
    texts: Iterable[Text],
    method: str | Attack = "charmer",
    *,
    max_distance: int = 2,
    operations: Collection[Operation] = OPERATIONS,
    threat: Threat | None = None,
    alphabet: Alphabet | Text | None = None,
) -> Iterator[AttackResult]:
    """As :func:`attack`, one result after the other."""
    if max_distance < 1:
        raise InputError(f"An attack makes at least one edit; max_distance is {max_distance}.")
    if isinstance(method, str):
        if method not in ATTACKS:
            raise InputError(f"There is no attack {method!r}; there are {', '.join(ATTACKS)}.")
        method = ATTACKS[method]()
    threat = threat or Threat(frozenset(operations))
    for text in texts:
        started = time.perf_counter()
        if isinstance(model, WindowModel):
            result = _attack_model(model, text, method, threat, max_distance)
        else:
            result = _attack_any(
                victim_of_function(as_classifier(model), threat, alphabet, text), text, method, max_distance
            )
        yield AttackResult(*result, method=method.name, seconds=time.perf_counter() - started)


Found = tuple[Text, str, Text | None, str | None, int | None, tuple[Any, ...]]


def _attack_model(model: WindowModel, text: Text, method: Attack, threat: Threat, max_distance: int) -> Found:
    """Attack the text as the model sees it, and carry what is found over to the text itself."""
    alphabet = model.alphabet
    seen = spelled(alphabet, text)
    victim = WindowVictim(model, threat)
    label = int(victim.scores([text])[0].argmax())

    def original(candidate: Text) -> Text:
        return apply_to_original(alphabet, text, edit_script(seen, candidate, threat.operations))

    return _search(victim, text, seen, label, method, max_distance, original, model.labels)


def _attack_any(victim: AnyVictim, text: Text, method: Attack, max_distance: int) -> Found:
    scores = victim.scores([text])[0]
    names = victim.classifier.names or tuple(map(str, range(len(scores))))
    return _search(victim, text, text, int(scores.argmax()), method, max_distance, lambda candidate: candidate, names)


def _search(
    victim: Victim,
    text: Text,
    seen: Text,
    label: int,
    method: Attack,
    max_distance: int,
    original: Callable[[Text], Text],
    names: tuple[str, ...],
) -> Found:
    """Return the first proposal that the classifier itself labels otherwise, at its true distance.

    The distance is the length of a shortest script of allowed edits; without restrictions, Levenshtein's.
    """
    base = text
    if not isinstance(seen, type(text)):  # a str given to a byte model is attacked as its bytes
        base = original(seen)
    for candidate in method.proposals(victim, seen, label, max_distance):
        changed = original(candidate)
        scores = victim.scores([changed])
        script = tuple(edit_script(base, changed, victim.threat.operations))
        if losses(scores, label)[0] >= 0 and len(script) <= max_distance:
            ranked = scores[0].copy()
            ranked[label] = -np.inf
            return text, names[label], changed, names[int(ranked.argmax())], len(script), script
    return text, names[label], None, None, None, ()
