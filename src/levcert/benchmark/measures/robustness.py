"""Accuracy: clean, certified within k edits, and what an attack of k edits leaves of it."""

from __future__ import annotations

import time

import numpy as np

import levcert
from levcert.attacks.attack import ATTACKS
from levcert.benchmark.measures.base import Outcome, Spec, Subject, percent
from levcert.benchmark.measures.published_smoothing import PublishedSmoothing
from levcert.certifiers.certify import CERTIFIERS

_METHODS = CERTIFIERS | {"published-smoothing": PublishedSmoothing}
_HOLDS_FOR_EVERY_EDIT = ("proved", "exact")


def accuracy(subject: Subject, spec: Spec) -> Outcome:
    """The share of texts with the right label."""
    return Outcome({spec["name"]: percent(subject.right)})


def certify(subject: Subject, spec: Spec) -> Outcome:
    """The share of texts with the right label and a radius of at least k, for each k, and the seconds per text.

    Seconds are those of the processor, so that they do not depend on what else the machine does.  Smoothing certifies
    the smoothed classifier, so the label is that of the certificate.  ``known`` is the share of texts whose radius is
    exact, ``not refuted`` what the counterexamples that a search found leave.
    """
    name, method = spec["name"], _METHODS[spec["method"]](**spec.get("options", {}))
    limits = {key: spec[key] for key in ("max_distance", "budget") if key in spec}
    started = time.process_time()
    rows = levcert.certify(subject.model, subject.texts, method, **limits)
    seconds = (time.process_time() - started) / len(rows)
    right = rows.label == np.array(subject.truth, dtype=np.str_)
    values = {f"{name} k={k}": percent(right & (rows.radius >= k)) for k in spec["distances"]}
    values |= (
        {f"{name} known": percent(np.array([row.claim == "exact" for row in rows]))}
        if spec["method"] == "exact"
        else {}
    )
    upper = np.where(np.isnan(rows.upper), np.inf, rows.upper)
    if spec.get("refuted"):
        values |= {f"{name} not refuted k={k}": percent(right & (upper > k)) for k in spec["distances"]}
    holds = np.array([row.claim in _HOLDS_FOR_EVERY_EDIT for row in rows])
    proved = np.where(holds, rows.radius, -np.inf)
    return Outcome(values | {f"{name} seconds": seconds}, proved, upper)


def attack(subject: Subject, spec: Spec) -> Outcome:
    """The share of texts with the right label for which no counterexample within k edits was found."""
    name, method = spec["name"], ATTACKS[spec["method"]](**spec.get("options", {}))
    started = time.process_time()
    found = levcert.attack(subject.model, subject.texts, method, max_distance=max(spec["distances"]))
    seconds = (time.process_time() - started) / len(found)
    distance = np.array([np.inf if result.distance is None else result.distance for result in found])
    values = {f"{name} k={k}": percent(subject.right & (distance > k)) for k in spec["distances"]}
    return Outcome(values | {f"{name} seconds": seconds}, refuted=distance)
