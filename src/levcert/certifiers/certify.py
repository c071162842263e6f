"""All certifiers by name, and the function that users call."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, Final

from levcert.certificates.certificate import Certificate
from levcert.certificates.certificates import Certificates
from levcert.certificates.claims import IS_TARGET, Unit
from levcert.certifiers.auto import Auto
from levcert.certifiers.base import Batch, Certifier, ClassifierMethod, Method, Verdict, batches
from levcert.certifiers.brute_force import BruteForce
from levcert.certifiers.deletion_smoothing_huang_2023 import DeletionSmoothing
from levcert.certifiers.exact import Exact
from levcert.certifiers.interval_huang_2019 import Interval
from levcert.certifiers.linear_search import LinearSearch
from levcert.certifiers.lipschitz import Lipschitz
from levcert.certifiers.lipslev import LipsLev
from levcert.certifiers.search.edit_chains import Chains
from levcert.certifiers.search.refine import Refine
from levcert.errors import InputError
from levcert.models.any_classifier import as_classifier
from levcert.models.class_labels import target_number
from levcert.models.linear.linear_ngrams import LinearNgrams
from levcert.models.window import WindowModel
from levcert.text.alphabet import Text
from levcert.text.edits import OPERATIONS, Operation, OperationName
from levcert.text.model_view import native
from levcert.text.threat import Threat, as_threat

CERTIFIERS: Final[dict[str, type[Method]]] = {
    "auto": Auto,
    "lipschitz": Lipschitz,
    "chains": Chains,
    "refine": Refine,
    "exact": Exact,
    "lipslev": LipsLev,
    "interval": Interval,
    "smoothing": DeletionSmoothing,
    "brute-force": BruteForce,
}


def certify(
    model: WindowModel | Callable[[list[Text]], Any],
    texts: Iterable[Text],
    method: str | Method = "auto",
    *,
    max_distance: int | None = None,
    budget: float | None = None,
    operations: Collection[Operation | OperationName] = OPERATIONS,
    threat: Threat | None = None,
    target: str | None = None,
    per_class: bool = False,
) -> Certificates:
    """Certify for each text how many edits cannot change the model's label, and return how strong each claim is.

    ``method`` is a name from ``CERTIFIERS`` or an instance with its own options.  ``max_distance``: stop at this
    radius (faster).  ``budget``: seconds per text; then return the best proof found so far.
    ``operations`` or a complete ``threat`` restrict which edits the attacker may make.

    With a ``target``, certificates are one-sided: this many edits cannot make the label ``target``.  With
    ``per_class``, each certificate also has such a one-sided radius for every other class (``class_radii``).

    Examples:
        >>> model = levcert.load("toy.safetensors")
        >>> row = levcert.certify(model, ["hello world"], max_distance=3)[0]
        >>> row.label, row.radius, row.claim
        ('letters', 2, 'exact')
    """
    if isinstance(texts, str | bytes):
        raise InputError("Expected a list of texts, got a single text; write [text].")
    return Certificates(
        certify_each(
            model,
            texts,
            method,
            max_distance=max_distance,
            budget=budget,
            operations=operations,
            threat=threat,
            target=target,
            per_class=per_class,
        )
    )


def certify_each(
    model: WindowModel | Callable[[list[Text]], Any],
    texts: Iterable[Text],
    method: str | Method = "auto",
    *,
    max_distance: int | None = None,
    budget: float | None = None,
    operations: Collection[Operation | OperationName] = OPERATIONS,
    threat: Threat | None = None,
    target: str | None = None,
    per_class: bool = False,
    batch_size: int = 256,
) -> Iterator[Certificate]:
    """As :func:`certify`, one certificate after the other: any number of texts in constant memory.

    ``batch_size`` texts are read and answered at once, with 1 each as soon as it is there.
    """
    if max_distance is not None and (not isinstance(max_distance, int) or max_distance < 0):
        raise InputError(f"max_distance must be an integer of at least 0, not {max_distance!r}.")
    if budget is not None and (not isinstance(budget, int | float) or not budget > 0):
        raise InputError(f"budget must be a positive number of seconds, not {budget!r}.")
    if not isinstance(texts, Iterable):
        raise InputError(f"Expected a list of texts, not {type(texts).__name__}.")
    certifier = _method(method, max_distance, budget)
    if isinstance(model, LinearNgrams) and isinstance(certifier, Auto | Exact):
        certifier = LinearSearch().limited(max_distance, certifier.budget)
    threat = as_threat(threat, operations)
    if isinstance(model, WindowModel) and target is not None:
        target_number(target, model.labels)
    if per_class and not (isinstance(model, WindowModel) and isinstance(certifier, Certifier)):
        raise InputError("Radii of each class need a levcert model and a method that sees it, such as auto or chains.")
    texts = iter(texts)
    while chunk := list(islice(texts, batch_size)):
        if isinstance(model, WindowModel):
            chunk = [native(model.alphabet, text) for text in chunk]
        if isinstance(certifier, Certifier):
            if not isinstance(model, WindowModel):
                instead = "auto or exact" if isinstance(model, LinearNgrams) else "smoothing or brute-force"
                raise InputError(f"{certifier.name} needs {certifier.needs}; for this one use {instead}.")
            about = About(certifier.name, threat, model.alphabet.kind, max_distance, target)
            rows = _of_batch(model, chunk, certifier, about)
            yield from _with_class_radii(model, chunk, certifier, about, rows) if per_class else rows
        elif isinstance(certifier, ClassifierMethod):
            yield from _of_each(model, chunk, certifier, threat, max_distance, target)


def _of_batch(model: WindowModel, texts: Sequence[Text], certifier: Certifier, about: About) -> Iterator[Certificate]:
    found: dict[int, tuple[str, Verdict]] = {}
    started = time.perf_counter()
    number = None if about.target is None else target_number(about.target, model.labels)
    for rows, batch in batches(model, texts, about.threat, number):
        labels = [model.labels[best] for best in batch.best]
        found |= zip(rows.tolist(), zip(labels, certifier.verdicts(batch), strict=True), strict=True)
    seconds = (time.perf_counter() - started) / len(texts)
    for row, text in enumerate(texts):
        if row not in found and about.target is not None:  # it has the label of the target
            margin = float(Batch(model, [text], about.threat).margin[0])
            found[row] = about.target, Verdict(0, IS_TARGET, margin)
        yield about.certificate(text, *found[row], seconds)


def _with_class_radii(
    model: WindowModel, texts: Sequence[Text], certifier: Certifier, about: About, rows: Iterator[Certificate]
) -> Iterator[Certificate]:
    """Add the one-sided radius of each class that is not the label; the seconds are those of all of them."""
    radii: list[dict[str, int]] = [{} for _ in texts]
    started = time.perf_counter()
    for label in model.labels:
        for found, row in zip(radii, _of_batch(model, texts, certifier, replace(about, target=label)), strict=True):
            if row.label != label:
                found[label] = row.radius
    seconds = (time.perf_counter() - started) / len(texts)
    for row, found in zip(rows, radii, strict=True):
        yield replace(row, class_radii=found, seconds=row.seconds + seconds)


def _of_each(
    model: Any,
    texts: Sequence[Text],
    certifier: ClassifierMethod,
    threat: Threat,
    max_distance: int | None,
    target: str | None,
) -> Iterator[Certificate]:
    classifier = as_classifier(model)
    searched = certifier.threat(threat)
    for text in texts:
        started = time.perf_counter()
        label, verdict = certifier.verdict(classifier, text, searched, target)
        unit: Unit = "bytes" if isinstance(text, bytes) else "characters"
        about = About(certifier.name, searched, unit, max_distance, target)
        yield about.certificate(text, label, verdict, time.perf_counter() - started)


@dataclass(frozen=True)
class About:
    """What the certificates of one run share."""

    method: str
    threat: Threat
    unit: Unit
    max_distance: int | None
    target: str | None

    def certificate(self, text: Text, label: str, verdict: Verdict, seconds: float) -> Certificate:
        """Make the row of a verdict; a radius is cut at the distance asked for, a counterexample beyond it stays."""
        radius = verdict.radius if self.max_distance is None else min(verdict.radius, self.max_distance)
        return Certificate(
            text, label, radius, verdict.margin, self.method, verdict.claim, self.threat, self.unit, verdict.upper,
            verdict.counterexample, seconds, self.target,
        )  # fmt: skip


def _method(method: str | Method, max_distance: int | None, budget: float | None) -> Method:
    """Look a method up, and tell it how far and how long it need search."""
    if isinstance(method, str):
        method = method.replace("_", "-")
        if method not in CERTIFIERS:
            raise InputError(f"There is no certifier {method!r}; there are {', '.join(CERTIFIERS)}.")
        method = CERTIFIERS[method]()
    if not isinstance(method, Method):
        raise InputError(f"method must be a name or an instance such as Exact(), not {method!r}.")
    return method.limited(max_distance, budget)
