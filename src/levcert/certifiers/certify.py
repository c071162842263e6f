"""All certifiers by name, and the function that users call."""

from __future__ import annotations

import time
import warnings
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, Final

from levcert.certificates.certificate import Certificate
from levcert.certificates.certificates import Certificates
from levcert.certificates.claims import IS_TARGET, Unit, is_about_the_model
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
from levcert.files.entry_points import looked_up
from levcert.models.any_classifier import Classifier
from levcert.models.class_labels import target_number
from levcert.models.known_classifiers import as_classifier
from levcert.models.linear.linear_ngrams import LinearNgrams
from levcert.models.window import WindowModel
from levcert.text.alphabet import Text
from levcert.text.edits import OPERATIONS, Operation, OperationName
from levcert.text.model_view import native
from levcert.text.threat import PRINTABLE_ASCII, Threat, as_threat

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
    model: Any,
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

    ``model`` is a levcert model, a scikit-learn classifier, a pipeline of transformers or a function of a list of texts
    (see :func:`as_classifier` for its labels, batches and call budget).  For those, "auto" classifies every text one
    edit away that brings in only printable ASCII.
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
    model: Any,
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
    certifier = limited_method(method, max_distance, budget)
    threat, keyboard = as_threat(threat, operations), False
    if not isinstance(model, WindowModel):
        model = as_classifier(model)
        if isinstance(model.source, LinearNgrams) and isinstance(certifier, Auto | Exact):
            certifier = LinearSearch().limited(max_distance, certifier.budget)
        elif isinstance(certifier, Auto):  # one edit, with the keys of a keyboard unless the threat says otherwise
            certifier, keyboard = BruteForce(max_distance=1, budget=certifier.budget), True
    elif target is not None:
        target_number(target, model.labels)
    if per_class and not (isinstance(model, WindowModel) and isinstance(certifier, Certifier)):
        raise InputError("Radii of each class need a levcert model and a method that sees it, such as auto or chains.")
    texts = iter(texts)
    count = differing = 0
    while chunk := list(islice(texts, batch_size)):
        if isinstance(model, WindowModel):
            chunk = [native(model.alphabet, text) for text in chunk]
        if isinstance(certifier, Certifier):
            if not isinstance(model, WindowModel):
                imported = isinstance(model, Classifier) and isinstance(model.source, LinearNgrams)
                instead = "auto or exact" if imported else "auto, brute-force or smoothing"
                raise InputError(f"{certifier.name} needs {certifier.needs}; for this one use {instead}.")
            about = About(certifier.name, threat, model.alphabet.kind, max_distance, target, model.alphabet.fold.name)
            rows = _of_batch(model, chunk, certifier, about)
            yield from _with_class_radii(model, chunk, certifier, about, rows) if per_class else rows
        elif isinstance(certifier, ClassifierMethod):
            for text in chunk:
                typed = keyboard and threat.symbols is None and isinstance(text, str)
                searched = replace(threat, symbols=PRINTABLE_ASCII) if typed else threat
                certificate = _of_any(as_classifier(model), text, certifier, searched, max_distance, target)
                count += 1
                differing += certificate.base_label not in (None, certificate.label)
                yield certificate
    if differing:
        warnings.warn(
            f"For {differing} of {count} texts the label of the smoothed classifier differs from that of the "
            "classifier itself, about which nothing is certified; levcert.choose_deletion finds a lower deletion rate "
            "that keeps the accuracy.",
            stacklevel=3,
        )


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


def _of_any(
    classifier: Classifier,
    text: Text,
    certifier: ClassifierMethod,
    threat: Threat,
    max_distance: int | None,
    target: str | None,
) -> Certificate:
    searched, started = certifier.threat(threat), time.perf_counter()
    fold = "none" if classifier.alphabet is None else classifier.alphabet.fold.name
    label, verdict = certifier.verdict(classifier, text, searched, target)
    unit: Unit = "bytes" if isinstance(text, bytes) else "characters"
    about = About(certifier.name, searched, unit, max_distance, target, fold)
    return about.certificate(text, label, verdict, time.perf_counter() - started)


@dataclass(frozen=True)
class About:
    """What the certificates of one run share."""

    method: str
    threat: Threat
    unit: Unit
    max_distance: int | None
    target: str | None
    fold: str

    def certificate(self, text: Text, label: str, verdict: Verdict, seconds: float) -> Certificate:
        """Make the row of a verdict; a radius is cut at the distance asked for, a counterexample beyond it stays."""
        radius = verdict.radius if self.max_distance is None else min(verdict.radius, self.max_distance)
        undecided = None if radius == self.max_distance else verdict.undecided
        return Certificate(
            text, label, radius, verdict.margin, self.method, verdict.claim, self.threat, self.unit, verdict.upper,
            verdict.counterexample, seconds, self.target, undecided=undecided, calls=verdict.calls,
            base_label=verdict.base_label, fold=self.fold if is_about_the_model(verdict.claim) else "none",
        )  # fmt: skip


def limited_method(method: str | Method, max_distance: int | None, budget: float | None) -> Method:
    """Look a method up, and tell it how far and how long it need search."""
    if isinstance(method, str):
        method = method.replace("_", "-")
        method = looked_up(method, "levcert.certifiers", CERTIFIERS, "certifier")()
    if not isinstance(method, Method):
        raise InputError(f"method must be a name or an instance such as Exact(), not {method!r}.")
    return method.limited(max_distance, budget)
