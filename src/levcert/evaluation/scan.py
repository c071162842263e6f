"""A scan of your own classifier: its accuracy, how few edits change its answers, and which texts are the most fragile.

All texts are attacked; for the first few, every text one edit away is classified, so that the answer at one edit is
exact.  An imported pipeline is certified on all texts instead, up to two edits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from levcert.attacks.base import Attack
from levcert.attacks.charmer_abad_rocamora_2024 import Charmer
from levcert.attacks.random_edits import RandomEdits
from levcert.certificates.share import Share
from levcert.certifiers.base import Method
from levcert.certifiers.no_proof import NoProof
from levcert.errors import InputError
from levcert.evaluation.evaluator import Evaluator, Measured, labelled
from levcert.evaluation.outcome import Tally
from levcert.models.any_classifier import Classifier, OutOfCallsError
from levcert.models.known_classifiers import as_classifier
from levcert.models.linear.from_sklearn import from_sklearn
from levcert.models.linear.linear_ngrams import LinearNgrams
from levcert.text.alphabet import Text
from levcert.text.threat import PRINTABLE_ASCII, Threat

SLOTS = 5  # where an attack tries every character: the calls of a classifier cost more than those of our models
MAX_DISTANCE = 3


@dataclass
class Scan:
    """What a scan found; ``examined`` are the texts whose answer at one edit is exact, as far as it was decided."""

    classifier: Classifier
    attack: str
    threat: Threat
    max_distance: int
    import_refused: str | None = None  # why a pipeline was not imported
    attacked: Tally = field(default_factory=Tally)
    examined: Tally = field(default_factory=Tally)
    worst: list[Measured] = field(default_factory=list)
    stopped: bool = False  # by the budget of calls

    @property
    def imported(self) -> bool:
        return isinstance(self.classifier.source, LinearNgrams)

    def clean(self) -> Share:
        return self.attacked.clean()

    def survives(self, k: int) -> Share:
        """Return the share of texts that are right and that no attack of k edits changed."""
        return self.attacked.attacked(k)

    def verified(self, k: int) -> Share:
        """Return the share of the examined texts that are right and provably stay so under k edits."""
        return self.examined.verified(k)

    def undecided(self, k: int) -> int:
        return self.examined.share(lambda outcome: outcome.undecided(k)).hits

    def add(self, measured: Measured, examined: bool) -> None:
        self.attacked.add(measured.outcome)
        if examined:
            self.examined.add(measured.outcome)
        if measured.outcome.right and measured.certificate.upper is not None:
            self.worst.append(measured)
            self.worst.sort(key=lambda row: (row.certificate.upper, row.certificate.margin or 0.0))
            del self.worst[10:]


def scan(
    model: Any,
    texts: Sequence[Text],
    truth: Sequence[str],
    *,
    exact_rows: int = 10,
    max_distance: int = MAX_DISTANCE,
    symbols: str = PRINTABLE_ASCII,
    watch: Callable[[Iterable[Measured]], Iterable[Measured]] = lambda rows: rows,
) -> Scan:
    """Attack all texts with up to ``max_distance`` edits, and decide one edit exactly for the first ``exact_rows``.

    Edits bring in only ``symbols``, except for an imported pipeline, where they are any characters.  A scan ends early
    when the classifier may not be asked any more (``max_calls`` of :func:`as_classifier`).
    """
    if isinstance(texts, str | bytes) or not len(texts):
        raise InputError("A scan needs a list of at least one text.")
    classifier = as_classifier(model)
    refused = None
    if type(classifier.source).__name__ == "Pipeline" and hasattr(classifier.source, "steps"):
        try:
            classifier = as_classifier(from_sklearn(classifier.source), max_calls=classifier.max_calls)
        except InputError as error:
            refused = str(error)
    imported = isinstance(classifier.source, LinearNgrams)
    threat = Threat() if imported else Threat(symbols=symbols)
    attack: Attack = Charmer(SLOTS) if classifier.gives_scores(texts[0]) else RandomEdits()
    found = Scan(classifier, attack.name, threat, max_distance, refused)
    rows = list(labelled(classifier, texts, truth))

    def measured() -> Iterable[Measured]:
        for number, row in enumerate(rows):
            examined = imported or number < exact_rows
            method: str | Method = "auto" if examined else NoProof()
            # An imported pipeline is searched up to two edits; attacks go further.
            evaluator = Evaluator(classifier, method, attack, max_distance, threat=threat)
            for result in evaluator.measured([row]):
                found.add(result, examined)
                yield result

    try:
        for _ in watch(measured()):
            pass
    except OutOfCallsError:
        if not len(found.attacked):
            raise
        found.stopped = True
    return found
