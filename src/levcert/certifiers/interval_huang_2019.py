"""Interval bounds (Huang et al. 2019) as the paper adapts them to insertions and deletions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from levcert.certifiers.base import Array, Batch, Certifier, Verdict
from levcert.errors import InputError
from levcert.models.conv import ConvModel
from levcert.models.edit_effects import pad
from levcert.text.alphabet import EncodedTexts


@dataclass(frozen=True)
class Interval(Certifier):
    """Put a box around the pooled features of all neighbours at distance 1, and bound the logits over the box.

    ``elide=False`` bounds each logit on its own, as the released code does; ``elide=True`` bounds the difference
    w_y − w_ŷ, which is free and never looser.  The box holds every single edit, so restricting the operations
    makes it smaller; restricting the symbols does not.

    Examples:
        >>> import numpy as np
        >>> model = levcert.ConvModel(levcert.Alphabet("ab"), np.eye(2), [np.ones((3, 4, 2))], np.eye(2, 4))
        >>> levcert.certify(model, ["aabb"], levcert.Interval())[0].claim
        'proved'
    """

    name: ClassVar[str] = "interval"
    needs: ClassVar[str] = "a convolutional model"

    elide: bool = True

    def verdicts(self, batch: Batch) -> list[Verdict]:
        if not isinstance(batch.model, ConvModel):
            raise InputError("interval needs a convolutional model; use exact for this one.")
        return [self._verdict(batch, batch.model, index) for index in range(len(batch.texts))]

    def _verdict(self, batch: Batch, model: ConvModel, index: int) -> Verdict:
        margin = float(batch.margin[index])
        bound = self.margin_bound(batch, model, index)
        return Verdict(int(bound > 2 * batch.allowance[index]), "proved", margin)

    def margin_bound(self, batch: Batch, model: ConvModel, index: int) -> float:
        """Return the lower bound of the margin over the box."""
        low, high = feature_box(batch, model, index)
        y = int(batch.best[index])
        others = np.delete(model.head, y, axis=0) if batch.target is None else model.head[batch.target][None]
        if self.elide:
            weights = model.head[y] - others
            return float((np.maximum(weights, 0) @ low + np.minimum(weights, 0) @ high).min())
        own = np.maximum(model.head[y], 0) @ low + np.minimum(model.head[y], 0) @ high
        return float(own - (np.maximum(others, 0) @ high + np.minimum(others, 0) @ low).max())


def feature_box(batch: Batch, model: ConvModel, index: int) -> tuple[Array, Array]:
    """Return the least and largest pooled features over the text and all its neighbours."""
    ids, side, allowed = batch.encoded[index], model.width - 1, batch.allowed
    features = model.pooled_features(EncodedTexts.single(ids))[0]
    low, high = features.copy(), features.copy()
    padded = pad(ids, side)
    cuts, places = np.arange(len(ids) + 1), np.arange(len(ids))
    parts = np.lib.stride_tricks.sliding_window_view(padded, side)
    before, after, rest = parts[cuts], parts[cuts + side], parts[places + side + 1]
    held = model.context_features(np.concatenate([before[:-1], padded[places + side, None], rest], axis=1))
    ranges: list[tuple[Array, Array]] = []
    if allowed.insert.any():
        straddling = model.context_features(np.concatenate([before, after], axis=1))
        least, most = model.hole_bounds(padded, cuts + side, cuts + side)
        ranges.append((least - straddling, most - straddling))
    if allowed.replace.any():
        least, most = model.hole_bounds(padded, places + side, places + side + 1)
        ranges.append((least - held, most - held))
    gone = np.flatnonzero(allowed.delete[ids - 1])
    if len(gone):
        change = model.context_features(np.concatenate([before[gone], rest[gone]], axis=1)) - held[gone]
        ranges.append((change, change))
    for least, most in ranges:
        low = np.minimum(low, features + least.min(axis=0, initial=np.inf))
        high = np.maximum(high, features + most.max(axis=0, initial=-np.inf))
    return low, high
