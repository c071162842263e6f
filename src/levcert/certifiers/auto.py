"""The cheapest sound sequence: one pass first, a search where that leaves the question open.

For bounded votes: one pass → chains → refine, and what it costs follows from the interval that each step leaves open.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from levcert.certifiers.base import Batch, Certifier, Verdict
from levcert.certifiers.exact import Exact
from levcert.certifiers.lipschitz import Lipschitz, knows_its_costs
from levcert.certifiers.renamed_options import renamed_option


@renamed_option(enough="max_distance")
@dataclass(frozen=True)
class Auto(Certifier):
    """The tap bounds; where they prove less than ``max_distance`` edits, the exact search improves on them.

    Examples:
        >>> model = levcert.load("toy.safetensors")
        >>> levcert.certify(model, ["hello world"], levcert.Auto(max_distance=2))[0].radius >= 2
        True
    """

    name: ClassVar[str] = "auto"
    needs: ClassVar[str] = "any window model"

    max_distance: int | None = None  # stop at this radius (faster)
    budget: float | None = None  # seconds for each text

    def verdicts(self, batch: Batch) -> list[Verdict]:
        exact = Exact().limited(self.max_distance, self.budget)
        if self.max_distance is None or not knows_its_costs(batch.model):
            return exact.verdicts(batch)
        verdicts = Lipschitz().verdicts(batch)
        for index, verdict in enumerate(verdicts):
            if verdict.radius < self.max_distance:
                verdicts[index] = exact.verdicts(replace(batch, texts=[batch.texts[index]]))[0]
        return verdicts
