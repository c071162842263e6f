"""A bounded version of every campaign; ``python -m tests.hostile`` runs them in full."""

import pytest

from tests.hostile.campaigns import CAMPAIGNS


@pytest.mark.parametrize(
    ("name", "count"), [("models", 150), ("checkpoints", 40), ("inputs", 300), ("hand-made", 190), ("audits", 150)]
)
def test_hostile_files_are_refused_or_right(name, count, tmp_path):
    tally = CAMPAIGNS[name][0](count, 7, tmp_path)
    assert not tally.unexpected, tally
    assert not tally.wrong, tally
    assert tally.outcomes["refused"]
