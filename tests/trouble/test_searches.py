"""Every search, bounded in the gate and longer under the marker ``long``: none finds a false sentence."""

import pytest

from tests.trouble.false_rows import campaign
from tests.trouble.judge import judged
from tests.trouble.searches import LONG_SECONDS, SEARCHES

ENDLESS = [name for name in SEARCHES if name != "complete balls"]  # that one ends: test_votes_to_measure.py has it


@pytest.mark.parametrize("name", ENDLESS)
def test_a_bounded_search_finds_no_false_sentence(name):
    plan = SEARCHES[name]
    tally = judged(plan.cases(plan.seed), count=plan.gate)
    assert not tally.unsound, str(tally)


@pytest.mark.long
@pytest.mark.parametrize("name", ENDLESS)
@pytest.mark.parametrize("seed", [2, 3])
def test_a_long_search_finds_no_false_sentence(name, seed):
    tally = judged(SEARCHES[name].cases(seed), seconds=LONG_SECONDS)
    assert not tally.unsound, str(tally)


@pytest.mark.parametrize("name", ["texts as typed", "one-sided"])
def test_the_audit_refutes_no_true_row_and_confirms_no_false_one(name):
    found = campaign(SEARCHES[name].cases(1), 40)
    assert not found.wrong, "\n".join(found.wrong)
    assert {"true", "false"} <= {truth for _, truth, _ in found.verdicts}
