"""Accuracy: clean, certified within k edits, and what an attack of k edits leaves of it."""

from __future__ import annotations

import time

import numpy as np

import levcert
from levcert.attacks.attack import ATTACKS
from levcert.benchmark.measures.base import Measurement, Spec, Subject, percent, percent_of
from levcert.benchmark.measures.evasion import evaders
from levcert.benchmark.measures.published_smoothing import PublishedSmoothing
from levcert.certificates.claims import holds_for_every_edit
from levcert.certifiers.certify import CERTIFIERS
from levcert.evaluation.outcome import Outcome, Tally

_METHODS = CERTIFIERS | {"published-smoothing": PublishedSmoothing}


def accuracy(subject: Subject, spec: Spec) -> Measurement:
    """The share of texts with the right label; with ``evaders``, also of those of one class: recall."""
    values = {spec["name"]: percent(subject.right)}
    if "evaders" in spec:
        values[f"{spec['name']} recall"] = percent(subject.right[evaders(subject, spec)])
    return Measurement(values)


def certify(subject: Subject, spec: Spec) -> Measurement:
    """The share of texts with the right label and a radius of at least k, for each k, and the seconds per text.

    Seconds are those of the processor, so that they do not depend on what else the machine does.  Smoothing certifies
    the smoothed classifier, so the label is that of the certificate.  ``known`` is the share of texts whose radius is
    exact, ``not refuted`` what the counterexamples that a search found leave.  With ``evaders``, ``recall`` is the
    share of the texts of that class that are right and stay right: with two classes, the texts that cannot pass.
    """
    name, method = spec["name"], _METHODS[spec["method"]](**spec.get("options", {}))
    limits = {key: spec[key] for key in ("max_distance", "budget") if key in spec}
    started = time.process_time()
    rows = levcert.certify(subject.model, subject.texts, method, **limits)
    seconds = (time.process_time() - started) / len(rows)
    tally = Tally.of(map(Outcome.of, rows, subject.truth))
    values = {f"{name} k={k}": percent_of(tally.verified(k)) for k in spec["distances"]}
    if spec["method"] == "exact":
        values[f"{name} known"] = percent_of(tally.exact())
    if "evaders" in spec:
        caught = tally.with_truth(subject.model.labels[spec["evaders"]])
        values |= {f"{name} recall k={k}": percent_of(caught.verified(k)) for k in spec["distances"]}
    if spec.get("refuted"):
        values |= {f"{name} not refuted k={k}": percent_of(tally.attacked(k)) for k in spec["distances"]}
    holds = np.array([holds_for_every_edit(row.claim) for row in rows])
    proved = np.where(holds, rows.radius, -np.inf)
    refuted = np.where(np.isnan(rows.upper), np.inf, rows.upper)
    return Measurement(values | {f"{name} seconds": seconds}, proved, refuted)


def attack(subject: Subject, spec: Spec) -> Measurement:
    """The share of texts with the right label for which no counterexample within k edits was found."""
    name, method = spec["name"], ATTACKS[spec["method"]](**spec.get("options", {}))
    started = time.process_time()
    found = levcert.attack(subject.model, subject.texts, method, max_distance=max(spec["distances"]))
    seconds = (time.process_time() - started) / len(found)
    rows = zip(subject.truth, found, strict=True)
    tally = Tally.of(Outcome(truth, result.label == truth, upper=result.distance) for truth, result in rows)
    values = {f"{name} k={k}": percent_of(tally.attacked(k)) for k in spec["distances"]}
    distance = np.array([np.inf if result.distance is None else result.distance for result in found])
    return Measurement(values | {f"{name} seconds": seconds}, refuted=distance)
