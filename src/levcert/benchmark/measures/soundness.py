"""How often one edit takes more from a margin than the published constant allows (docs/published-bound.md)."""

from __future__ import annotations

import numpy as np

import levcert
from levcert.benchmark.measures.base import Measurement, Spec, Subject, percent
from levcert.certifiers.base import Batch
from levcert.certifiers.lipschitz import edit_costs
from levcert.certifiers.lipslev import LipsLev
from levcert.errors import InputError
from levcert.models.conv import ConvModel
from levcert.text.threat import Threat


def soundness(subject: Subject, spec: Spec) -> Measurement:
    """Evaluate every single edit of every text.

    For each operation: the largest change of a margin over the published local constant (above 1 the theorem is
    refuted), and the share of texts where that happens.  The same for our tap bounds, which must stay at or below 1.
    ``false`` is the share of texts with a published radius of at least 1 whose label one edit changes.
    """
    model = subject.model
    if not isinstance(model, ConvModel):
        raise InputError("The published constant is defined only for convolutional models.")
    p = float(subject.training.get("p", 2.0))
    batch = Batch(model, subject.texts, Threat())
    published, sound = LipsLev(p=p).constants(model, batch), edit_costs(batch)
    ratios: dict[str, list[float]] = {name: [] for name in ("insertion", "deletion", "substitution", "tap bound")}
    for index, ids in enumerate(batch.encoded):
        effects, y = model.edit_effects(ids), int(batch.best[index])
        others = np.arange(model.classes) != y
        largest = 0.0
        arrays = effects.insertions, effects.deletions, effects.substitutions
        for name, changes in zip(ratios, arrays, strict=False):
            taken = (changes[..., y, None] - changes)[..., others].reshape(-1, int(others.sum()))
            ratios[name].append(float((np.abs(taken) / published[index, others]).max(initial=0)))
            largest = max(largest, float((-taken / sound[index, others]).max(initial=0)))
        ratios["tap bound"].append(largest)
    name = spec["name"]
    values = {f"{name} {kind} largest": round(max(found), 4) for kind, found in ratios.items()}
    values |= {f"{name} {kind} exceeded": percent(np.array(found) > 1 + 1e-9) for kind, found in ratios.items()}
    claimed = levcert.certify(model, subject.texts, LipsLev(p=p)).radius >= 1
    refuted = levcert.certify(model, subject.texts, "exact", max_distance=1).radius < 1
    return Measurement(values | {f"{name} false": percent(claimed & refuted)})
