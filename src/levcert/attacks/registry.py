"""All attacks by name, and the function that users call."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from levcert.alphabet import Alphabet, Text
from levcert.attacks.base import Attack, AttackResult
from levcert.attacks.charmer_abad_rocamora_2024 import Charmer
from levcert.attacks.greedy import Beam, Greedy
from levcert.attacks.random_edits import RandomEdits
from levcert.attacks.search import Search
from levcert.attacks.victim import AnyVictim, Victim, WindowVictim, losses, victim_of_function
from levcert.certifiers.classifier import as_classifier
from levcert.edits import OPERATIONS, Edit, Operation, apply_edits
from levcert.errors import InputError
from levcert.models.window import WindowModel
from levcert.spelling import apply_to_original, native, spelled
from levcert.threat import Threat, as_threat

ATTACKS: Final[dict[str, type[Attack]]] = {
    "charmer": Charmer,
    "greedy": Greedy,
    "beam": Beam,
    "random": RandomEdits,
    "search": Search,
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
    if not isinstance(max_distance, int) or max_distance < 1:
        raise InputError(f"An attack makes at least one edit; max_distance is {max_distance!r}.")
    if isinstance(method, str):
        if method not in ATTACKS:
            raise InputError(f"There is no attack {method!r}; there are {', '.join(ATTACKS)}.")
        method = ATTACKS[method]()
    if not isinstance(method, Attack):
        raise InputError(f"A method is a name or an instance such as Charmer(), not {method!r}.")
    threat = as_threat(threat, operations)
    for text in texts:
        started = time.perf_counter()
        if isinstance(model, WindowModel):
            result = _attack_model(model, text, method, threat, max_distance)
        else:
            result = _attack_any(
                victim_of_function(as_classifier(model), threat, alphabet, text), text, method, max_distance
            )
        yield AttackResult(*result, method=method.name, seconds=time.perf_counter() - started)


Found = tuple[Text, str, Text | None, str | None, int | None, tuple[Edit, ...]]


def _attack_model(model: WindowModel, text: Text, method: Attack, threat: Threat, max_distance: int) -> Found:
    """Attack the text as the model sees it, and carry what is found over to the text itself."""
    alphabet = model.alphabet
    text = native(alphabet, text)
    victim = WindowVictim(model, threat)
    label = int(victim.scores([text])[0].argmax())

    def original(script: list[Edit]) -> Text:
        return apply_to_original(alphabet, text, script)

    search = _Search(victim, spelled(alphabet, text), label, max_distance, alphabet, original)
    return text, *search.run(method, model.labels)


def _attack_any(victim: AnyVictim, text: Text, method: Attack, max_distance: int) -> Found:
    scores = victim.scores([text])[0]
    names = victim.classifier.names or tuple(map(str, range(len(scores))))

    def original(script: list[Edit]) -> Text:
        return apply_edits(text, script)

    search = _Search(victim, text, int(scores.argmax()), max_distance, None, original)
    return text, *search.run(method, names)


@dataclass(frozen=True)
class _Search:
    """Check an attack's proposals: the script must be allowed and short enough, the label really lost."""

    victim: Victim
    seen: Text
    label: int
    max_distance: int
    alphabet: Alphabet | None
    original: Callable[[list[Edit]], Text]

    def run(
        self, method: Attack, names: tuple[str, ...]
    ) -> tuple[str, Text | None, str | None, int | None, tuple[Edit, ...]]:
        """Return the first proposal that passes; its distance is the length of the script of allowed edits."""
        for candidate in method.proposals(self.victim, self.seen, self.label, self.max_distance):
            script = self.victim.threat.script(self.seen, candidate, self.alphabet)
            if not script or len(script) > self.max_distance:
                continue
            changed = self.original(script)
            scores = self.victim.scores([changed])
            if losses(scores, self.label)[0] >= 0:
                ranked = scores[0].copy()
                ranked[self.label] = -np.inf
                return names[self.label], changed, names[int(ranked.argmax())], len(script), tuple(script)
        return names[self.label], None, None, None, ()
