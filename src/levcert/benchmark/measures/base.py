"""What a measure is given and what it returns."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from levcert.certificates.share import Share
from levcert.models.window import WindowModel

Spec = dict[str, Any]  # a measure as declared: its name, its kind and its options
Flags = npt.NDArray[np.bool_]
Numbers = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Subject:
    """A model, and texts with their true labels."""

    model: WindowModel
    texts: list[str]
    truth: list[str]
    training: dict[str, Any]

    @cached_property
    def right(self) -> Flags:
        """Which texts the model labels correctly."""
        right: Flags = self.model.predict(self.texts) == np.array(self.truth, dtype=np.str_)
        return right

    def first(self, count: int | None) -> Subject:
        """Return the same model on the first ``count`` texts; None: on all."""
        if count is None or count >= len(self.texts):
            return self
        return Subject(self.model, self.texts[:count], self.truth[:count], self.training)


@dataclass(frozen=True)
class Measurement:
    """Named values, and for each text what was proved and what was refuted.

    ``proved[i]`` is a radius that holds for every edit, ``refuted[i]`` the distance of a counterexample.
    """

    values: dict[str, float]
    proved: Numbers = field(default_factory=lambda: np.zeros(0))
    refuted: Numbers = field(default_factory=lambda: np.zeros(0))


def percent_of(share: Share) -> float:
    """Return a share in percent, to the hundredth as the paper does."""
    return round(100 * share.value, 2) if share.total else 0.0


def percent(flags: Flags) -> float:
    """Return the share of flags that are set, in percent."""
    return percent_of(Share(int(flags.sum()), len(flags)))
