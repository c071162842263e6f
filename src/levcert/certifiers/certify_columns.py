"""Certificates of many texts as columns: what ``levcert certify`` writes, without an object for each row."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from levcert.certificates.files import CERTIFICATE_COLUMNS, certificate_record, threat_text
from levcert.certifiers.base import OnePass, batches
from levcert.certifiers.certify import certify_each, limited_method
from levcert.models.window import WindowModel
from levcert.text.alphabet import Text
from levcert.text.model_view import native
from levcert.text.threat import ANY_EDIT, Threat

_NOTHING: Final = ("target", "upper", "counterexample", "class_radii")  # columns that one pass leaves empty
_AT_ONCE: Final = 2048  # texts whose arrays stay in the cache


def certify_columns(
    model: WindowModel,
    texts: Sequence[Text],
    method: str,
    *,
    max_distance: int | None = None,
    budget: float | None = None,
    threat: Threat | None = None,
    target: str | None = None,
    per_class: bool = False,
) -> dict[str, list[Any]]:
    """Return the columns of the certificates that :func:`certify_each` gives."""
    certifier = limited_method(method, max_distance, budget)
    if isinstance(certifier, OnePass) and isinstance(model, WindowModel) and target is None and not per_class:
        columns: dict[str, list[Any]] = {name: [] for name in CERTIFICATE_COLUMNS}
        for first in range(0, len(texts), _AT_ONCE):
            _add(columns, model, texts[first : first + _AT_ONCE], certifier, max_distance, threat or ANY_EDIT)
        return columns
    rows = certify_each(
        model, texts, method, max_distance=max_distance, budget=budget, threat=threat, target=target,
        per_class=per_class,
    )  # fmt: skip
    records = list(map(certificate_record, rows))
    return {name: [record[name] for record in records] for name in CERTIFICATE_COLUMNS}


def _add(
    columns: dict[str, list[Any]], model: WindowModel, texts: Sequence[Text], certifier: OnePass,
    max_distance: int | None, threat: Threat,
) -> None:  # fmt: skip
    started = time.perf_counter()
    if model.alphabet.kind == "bytes":
        texts = [native(model.alphabet, text) for text in texts]
    count = len(texts)
    best, radius = np.zeros((2, count), dtype=np.int64)
    margin = np.zeros(count)
    claims: list[str] = [""] * count
    for rows, batch in batches(model, texts, threat):
        found, claim = certifier.bounds(batch)
        best[rows], radius[rows], margin[rows] = batch.best, found, batch.margin
        for row in rows.tolist() if len(rows) < count else ():
            claims[row] = claim
        claims = claims if len(rows) < count else [claim] * count
    if max_distance is not None:
        np.minimum(radius, max_distance, out=radius)
    if np.isnan(margin).any():  # the certificate itself says what is wrong
        list(certify_each(model, texts, certifier, threat=threat))
    labels = model.labels
    columns["text"] += texts
    columns["label"] += [labels[number] for number in best.tolist()]
    columns["radius"] += radius.tolist()
    columns["margin"] += margin.tolist()
    columns["claim"] += claims
    seconds = (time.perf_counter() - started) / count
    same = {"method": certifier.name, "threat": threat_text(threat), "unit": model.alphabet.kind}
    for name, value in (same | dict.fromkeys(_NOTHING) | {"seconds": seconds}).items():
        columns[name] += [value] * count
