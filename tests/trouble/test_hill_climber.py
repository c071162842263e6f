"""Weights, votes and texts climb towards a false certificate; none is reached."""

import pytest

from tests.trouble.judge import judged
from tests.trouble.searches import LONG_SECONDS, SEARCHES

PLAN = SEARCHES["hill-climber"]


def test_a_bounded_search_finds_no_false_sentence():
    tally = judged(PLAN.cases(PLAN.seed), count=PLAN.gate)
    assert not tally.unsound, str(tally)


@pytest.mark.long
@pytest.mark.parametrize("seed", [2, 3])
def test_a_long_search_finds_no_false_sentence(seed):
    tally = judged(PLAN.cases(seed), seconds=LONG_SECONDS)
    assert not tally.unsound, str(tally)
