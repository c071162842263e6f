"""The cheapest sound sequence: one pass first, a search where that leaves the question open.

For bounded votes: one pass → chains → refine, and what it costs follows from the interval that each step leaves open.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from levcert.certifiers.base import Batch, Certifier, Verdict
from levcert.certifiers.exact import Exact
from levcert.certifiers.lipschitz import Lipschitz, knows_its_costs


@dataclass(frozen=True)
class Auto(Certifier):
    """The tap bounds; where they prove less than ``enough`` edits, the exact search improves on them.

    Examples:
        >>> model = levcert.load("toy.safetensors")
        >>> levcert.certify(model, ["hello world"], levcert.Auto(enough=2))[0].radius >= 2
        True
    """

    name: ClassVar[str] = "auto"
    needs: ClassVar[str] = "any window model"

    enough: int | None = None
    budget: float | None = None  # seconds for each text

    def limited(self, max_distance: int | None, budget: float | None) -> Auto:
        enough = max_distance if self.enough is None else self.enough
        return replace(self, enough=enough, budget=budget if self.budget is None else self.budget)

    def verdicts(self, batch: Batch) -> list[Verdict]:
        exact = Exact().limited(self.enough, self.budget)
        if self.enough is None or not knows_its_costs(batch.model):
            return exact.verdicts(batch)
        verdicts = Lipschitz().verdicts(batch)
        for index, verdict in enumerate(verdicts):
            if verdict.radius < self.enough:
                verdicts[index] = exact.verdicts(replace(batch, texts=[batch.texts[index]]))[0]
        return verdicts
