"""The searches, and how much of each is done where."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from tests.trouble.alternating_taps import alternating_cases
from tests.trouble.hill_climber import climbed_cases
from tests.trouble.judge import Case
from tests.trouble.lp_heads import head_cases
from tests.trouble.milp_votes import corner_cases, milp_cases
from tests.trouble.one_sided import one_sided_cases
from tests.trouble.typed_texts import typed_cases


@dataclass(frozen=True)
class SearchPlan:
    """Cases from a seed, mostly without end; ``gate`` of them are judged in every run of the tests: a few seconds."""

    cases: Callable[[int], Iterator[Case]]
    gate: int
    seed: int = 1


SEARCHES = {
    "complete balls": SearchPlan(corner_cases, 10_000),  # fewer: it ends
    "votes made to measure": SearchPlan(milp_cases, 200),
    "heads made to measure": SearchPlan(head_cases, 300),
    "alternating taps": SearchPlan(alternating_cases, 60),
    "hill-climber": SearchPlan(climbed_cases, 180, seed=2),
    "texts as typed": SearchPlan(typed_cases, 200),
    "one-sided": SearchPlan(one_sided_cases, 120),
}
LONG_SECONDS = 240  # of each search under the marker long
