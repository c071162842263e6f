"""LipsLev: the paper's constant, as published.

Its proof holds for substitutions.  For insertions and deletions it does not: docs/published-bound.md has the
counterexample, and tests/theory/test_counterexample.py keeps it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from levcert.certifiers.base import Array, Batch, Integers, OnePass, radii
from levcert.errors import InputError
from levcert.models import norms
from levcert.models.conv import ConvModel
from levcert.text.threat import AllowedEdits


@dataclass(frozen=True)
class LipsLev(OnePass):
    """radius = min_ŷ ⌈margin / G(y, ŷ)⌉ − 1 with G = ‖w_y − w_ŷ‖_r · Π M(K⁽ⁱ⁾) · M(E, P)  (Corollary "Local …").

    ``local`` uses M(E, P), the constant of the text's own characters; ``p`` defaults to the one in training.

    Examples:
        >>> import numpy as np
        >>> model = levcert.ConvModel(levcert.Alphabet("ab"), np.eye(2), [np.ones((3, 4, 2))], np.eye(2, 4))
        >>> levcert.certify(model, ["aabb"], levcert.LipsLev(p=2))[0].claim
        'substitutions only'
    """

    name: ClassVar[str] = "lipslev"
    needs: ClassVar[str] = "a convolutional model"

    p: float | None = None
    local: bool = True

    @staticmethod
    def claim(allowed: AllowedEdits) -> str:
        """Proved where no allowed edit inserts or deletes an id: a substitution by a dropped character does."""
        return "substitutions only" if allowed.insert.any() or allowed.delete.any() else "proved"

    def bounds(self, batch: Batch) -> tuple[Integers, str]:
        model = batch.model
        if not isinstance(model, ConvModel):
            raise InputError("lipslev needs a convolutional model; use lipschitz, exact or auto for this one.")
        constants = self.constants(model, batch)
        return radii(batch.margins, constants, batch.allowance, batch.reach), self.claim(batch.allowed)

    def constants(self, model: ConvModel, batch: Batch) -> Array:
        """Return G(y, ŷ) for each text and each other class."""
        p = self.p if self.p is not None else _trained_norm(model)
        everywhere: Array = model.constants(p)[batch.best]
        if not self.local:
            return everywhere
        (embedding,), _ = norms.scaled_to_one(model.embedding)
        local = norms.local_embedding_constants(embedding, batch.present, p)
        share = local / (norms.embedding_constant(embedding, p) or 1.0)
        constants: Array = np.nextafter(everywhere * share[:, None] * (1 + 1e-9), np.inf)
        return constants


def _trained_norm(model: ConvModel) -> float:
    """Return the p that the model was trained with, or 2."""
    p = model.training.config.get("p", 2.0)
    try:
        return float(p)
    except (TypeError, ValueError):
        raise InputError(f"The model was trained with p = {p!r}; set p to 1, 2 or inf.") from None
