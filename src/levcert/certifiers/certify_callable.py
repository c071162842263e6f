"""Certificates for your own model: a function from a list of texts to labels."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import fields
from typing import Any, Final

from levcert.certificates.certificates import Certificates
from levcert.certifiers.brute_force import BruteForce
from levcert.certifiers.certify import certify
from levcert.certifiers.deletion_smoothing_huang_2023 import DeletionSmoothing
from levcert.errors import InputError
from levcert.text.alphabet import Text
from levcert.text.edits import OPERATIONS, Operation, OperationName, operation_of
from levcert.text.threat import Threat

_METHODS: Final[dict[str, type[DeletionSmoothing] | type[BruteForce]]] = {
    "smoothing": DeletionSmoothing,
    "brute-force": BruteForce,
}


def certify_callable(
    function: Callable[[list[Text]], Any],
    texts: Iterable[Text],
    method: str = "smoothing",
    *,
    max_distance: int | None = None,
    operations: Collection[Operation | OperationName] = OPERATIONS,
    symbols: Text | None = None,
    target: str | None = None,
    **options: Any,
) -> Certificates:
    """Certify texts for any classifier, of which nothing is known but its answers.

    ``function`` gets a list of texts and returns one answer for each: a label (string or integer), a row of scores,
    or what a pipeline of transformers returns.  "smoothing" (RS-Del) certifies the majority vote over texts with
    deleted characters, with a probability; "brute-force" asks about every text within ``max_distance`` edits
    (default 1), and therefore must be told the ``symbols`` that an attacker may type.  With a ``target``, certificates
    are one-sided: this many edits cannot make the label ``target``.  ``options`` are those of the method, e.g.
    ``deletion``, ``bound_samples``, ``alpha`` and ``seed`` of smoothing.

    Examples:
        >>> def classify(texts):
        ...     return ["spam" if "free" in text else "ham" for text in texts]
        >>> row = levcert.certify_callable(classify, ["free"], "brute-force", max_distance=1, symbols="abc")[0]
        >>> row.label, row.radius, row.counterexample
        ('spam', 0, 'cree')
    """
    name = method.replace("_", "-")
    if name not in _METHODS:
        raise InputError(f"Methods for any classifier are {' and '.join(_METHODS)}, not {method!r}.")
    kind = _METHODS[name]
    known = {field.name for field in fields(kind)} - {"distance", "alphabet"}
    unknown = sorted(options.keys() - known)
    if unknown:
        raise InputError(f"{name} has no option {unknown[0]!r}; it has {', '.join(sorted(known)) or 'none'}.")
    threat = Threat(frozenset(map(operation_of, operations)), symbols)
    return certify(function, texts, kind(**options), max_distance=max_distance, threat=threat, target=target)
