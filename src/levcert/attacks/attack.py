"""All attacks by name, and the function that users call."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from levcert.attacks.base import Attack, AttackResult
from levcert.attacks.charmer_abad_rocamora_2024 import Charmer
from levcert.attacks.greedy import Beam, Greedy
from levcert.attacks.paths import Paths
from levcert.attacks.random_edits import RandomEdits
from levcert.attacks.search import Search
from levcert.attacks.victim import AnyVictim, Victim, WindowVictim, victim_of_function
from levcert.errors import InputError
from levcert.files.entry_points import looked_up
from levcert.models.class_labels import target_number
from levcert.models.known_classifiers import as_classifier
from levcert.models.window import WindowModel
from levcert.text.alphabet import Alphabet, Text
from levcert.text.edits import OPERATIONS, Edit, Operation, OperationName
from levcert.text.model_view import has_dropped, native, seen_script, spelled, typed
from levcert.text.threat import Threat, as_threat

ATTACKS: Final[dict[str, type[Attack]]] = {
    "charmer": Charmer,
    "greedy": Greedy,
    "beam": Beam,
    "random": RandomEdits,
    "paths": Paths,
    "search": Search,
}


def attack(
    model: WindowModel | Callable[[list[Text]], Any],
    texts: Iterable[Text],
    method: str | Attack = "charmer",
    *,
    max_distance: int = 2,
    operations: Collection[Operation | OperationName] = OPERATIONS,
    threat: Threat | None = None,
    alphabet: Alphabet | Text | None = None,
    target: str | None = None,
) -> list[AttackResult]:
    """Look for texts within ``max_distance`` edits that the model labels otherwise; with a ``target``, like that.

    ``method`` is a name from ``ATTACKS`` or an instance with options.  For a function instead of a model,
    ``alphabet`` is what the attacker may bring in (default: printable ASCII), and the function must give scores.

    Examples:
        >>> model = levcert.load("toy.safetensors")
        >>> result = levcert.attack(model, ["1a"], max_distance=2)[0]
        >>> result.success, result.new_label
        (True, 'digits')
    """
    if isinstance(texts, str | bytes):
        raise InputError("Expected a list of texts, got a single text; write [text].")
    return list(
        attack_each(
            model,
            texts,
            method,
            max_distance=max_distance,
            operations=operations,
            threat=threat,
            alphabet=alphabet,
            target=target,
        )
    )


def attack_each(
    model: WindowModel | Callable[[list[Text]], Any],
    texts: Iterable[Text],
    method: str | Attack = "charmer",
    *,
    max_distance: int = 2,
    operations: Collection[Operation | OperationName] = OPERATIONS,
    threat: Threat | None = None,
    alphabet: Alphabet | Text | None = None,
    target: str | None = None,
) -> Iterator[AttackResult]:
    """As :func:`attack`, one result after the other; a text that has the label ``target`` already is not attacked."""
    if not isinstance(max_distance, int) or max_distance < 1:
        raise InputError(f"max_distance must be an integer of at least 1, not {max_distance!r}.")
    if isinstance(method, str):
        method = looked_up(method, "levcert.attacks", ATTACKS, "attack")()
    if not isinstance(method, Attack):
        raise InputError(f"method must be a name or an instance such as Charmer(), not {method!r}.")
    threat = as_threat(threat, operations)
    if target is not None and isinstance(model, WindowModel):
        target_number(target, model.labels)
    for text in texts:
        started = time.perf_counter()
        if isinstance(model, WindowModel):
            result = _attack_model(model, text, method, threat, max_distance, target)
        else:
            victim = victim_of_function(as_classifier(model), threat, alphabet, text, target)
            result = _attack_any(victim, text, method, max_distance)
        yield AttackResult(*result, method=method.name, seconds=time.perf_counter() - started)


Found = tuple[Text, str, Text | None, str | None, int | None, tuple[Edit, ...]]


def _attack_model(
    model: WindowModel, text: Text, method: Attack, threat: Threat, max_distance: int, target: str | None
) -> Found:
    """Attack the text as the model sees it, and carry what is found over to the text itself."""
    alphabet = model.alphabet
    text = native(alphabet, text)
    number = None if target is None else target_number(target, model.labels)
    victim = WindowVictim(model, threat, has_dropped(alphabet, text), number)

    def edits_to(candidate: Text) -> tuple[list[Edit], Text] | None:
        script = seen_script(alphabet, threat, text, candidate, max_distance)
        changed = None if script is None else typed(alphabet, threat, text, script)
        return None if script is None or changed is None else (script, changed)

    def label_of(candidate: Text) -> str:
        return model.labels[int(victim.scores([candidate])[0].argmax())]

    search = _Search(victim, spelled(alphabet, text), max_distance, edits_to, label_of)
    return text, *search.run(method, model.labels)


def _attack_any(victim: AnyVictim, text: Text, method: Attack, max_distance: int) -> Found:
    classifier = victim.classifier
    if method.name == "random" and not classifier.gives_scores(text):
        names = tuple(dict.fromkeys(classifier.predict([text]).tolist()))
    else:
        names = classifier.class_names(text)

    def label_of(candidate: Text) -> str:
        return str(classifier.predict([candidate])[0])

    def edits_to(candidate: Text) -> tuple[list[Edit], Text] | None:
        script = victim.threat.script(text, candidate, max_distance)
        return None if script is None else (script, candidate)

    search = _Search(victim, text, max_distance, edits_to, label_of)
    return text, *search.run(method, names)


@dataclass(frozen=True)
class _Search:
    """Check an attack's proposals: few enough allowed edits lead there, and the classifier gives another label.

    ``edits_to`` returns the edits that lead to a proposal and the text as typed, or None.
    """

    victim: Victim
    seen: Text
    max_distance: int
    edits_to: Callable[[Text], tuple[list[Edit], Text] | None]
    label_of: Callable[[Text], str]

    def run(
        self, method: Attack, names: tuple[str, ...]
    ) -> tuple[str, Text | None, str | None, int | None, tuple[Edit, ...]]:
        """Return the first proposal that passes; its distance is the length of the script of allowed edits."""
        label = self.label_of(self.seen)
        if label not in names:
            raise InputError(f"The classifier returned {label!r}, which is not one of its labels {list(names)}.")
        target = None if self.victim.target is None else names[self.victim.target]
        if label == target:
            return label, None, None, None, ()
        for candidate in method.proposals(self.victim, self.seen, names.index(label), self.max_distance):
            found = self.edits_to(candidate)
            if found is None:
                continue
            script, changed = found
            other = self.label_of(changed)
            if other != label and target in (None, other):
                return label, changed, other, len(script), tuple(script)
        return label, None, None, None, ()
