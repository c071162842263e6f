"""The paper's constant G of a model."""

from __future__ import annotations

from levcert.benchmark.measures.base import Measurement, Spec, Subject
from levcert.errors import InputError
from levcert.models.conv import ConvModel


def constant(subject: Subject, spec: Spec) -> Measurement:
    """G = M(W) · Π M(K⁽ⁱ⁾) · M(E) for the p of the training."""
    if not isinstance(subject.model, ConvModel):
        raise InputError("The constant G is defined only for convolutional models.")
    return Measurement({spec["name"]: round(float(subject.model.constants(float(subject.training["p"])).max()), 4)})
