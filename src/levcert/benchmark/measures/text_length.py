"""How the length of a text relates to its certificate (the paper's length study, at k = 1)."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

import levcert
from levcert.benchmark.measures.base import Measurement, Spec, Subject, percent


def length(subject: Subject, spec: Spec) -> Measurement:
    """Mean length of verified texts, of right ones that are not, and of all others; verified accuracy by length.

    The paper's "not verified" are the texts that are right and not verified: with those its averages come out again.
    A bin from a to b holds texts of a … b − 1 characters and is named after its middle; empty bins have no value.
    """
    rows = levcert.certify(subject.model, subject.texts, spec["method"], max_distance=spec["k"])
    right = rows.label == np.array(subject.truth, dtype=np.str_)
    verified = right & (rows.radius >= spec["k"])
    lengths = np.array([len(text) for text in subject.texts])
    name = spec["name"]
    groups = {"verified": verified, "not verified": right & ~verified, "others": ~verified}
    values = {f"{name} {group}": round(float(lengths[here].mean()), 1) for group, here in groups.items() if here.any()}
    for low, high in pairwise(spec["bins"]):
        inside = (lengths >= low) & (lengths < high)
        if inside.any():
            values[f"{name} length={(low + high) // 2}"] = percent(verified[inside])
    return Measurement(values)
