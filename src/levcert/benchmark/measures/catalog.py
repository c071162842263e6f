"""All kinds of measures by name, and the check that all of them in one cell agree."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np

from levcert.benchmark.measures.base import Measurement, Spec, Subject
from levcert.benchmark.measures.latency import latency
from levcert.benchmark.measures.paper_constant import constant
from levcert.benchmark.measures.robustness import accuracy, attack, certify
from levcert.benchmark.measures.soundness import soundness
from levcert.benchmark.measures.text_length import length
from levcert.files.entry_points import looked_up

MEASURES: Final[dict[str, Callable[[Subject, Spec], Measurement]]] = {
    "accuracy": accuracy,
    "certify": certify,
    "attack": attack,
    "length": length,
    "constant": constant,
    "latency": latency,
    "soundness": soundness,
}


class RefutedError(RuntimeError):
    """A text within a proved radius has another label: a defect of a certifier."""


def measure(subject: Subject, specs: list[Spec]) -> dict[str, float]:
    """Take all measures of a cell; each may be limited to the first ``texts`` texts."""
    outcomes = {spec["name"]: _kind(spec["kind"])(subject.first(spec.get("texts")), spec) for spec in specs}
    check_sandwich(outcomes)
    return {name: value for outcome in outcomes.values() for name, value in outcome.values.items()}


def _kind(name: str) -> Callable[[Subject, Spec], Measurement]:
    found: Callable[[Subject, Spec], Measurement] = looked_up(name, "levcert.measures", MEASURES, "measure")
    return found


def check_sandwich(outcomes: dict[str, Measurement]) -> None:
    """Nothing that one method proves may be refuted by any other: proved < distance of every counterexample."""
    for prover, proof in outcomes.items():
        for refuter, refutation in outcomes.items():
            common = min(len(proof.proved), len(refutation.refuted))
            radius, distance = proof.proved[:common], refutation.refuted[:common]
            wrong = np.flatnonzero((radius >= 0) & (distance <= radius))
            if len(wrong):
                raise RefutedError(
                    f"{prover} proves radius {radius[wrong[0]]:g} for text {wrong[0]}, and {refuter} changes its label "
                    f"with {distance[wrong[0]]:g} edits. This is a bug; please report it."
                )
