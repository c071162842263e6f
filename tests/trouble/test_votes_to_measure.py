"""For every text of a ball there are votes that it alone breaks: every certifier must see it."""

import pytest

from levcert import Alphabet, Threat
from tests.trouble.judge import judged
from tests.trouble.milp_votes import Programme, Setting, every_target
from tests.trouble.searches import LONG_SECONDS, SEARCHES

PLAN = SEARCHES["votes made to measure"]

CORNERS = [  # complete settings: every text at distance k is a target
    Setting(Alphabet("abc"), "aba", Threat(frozenset({"insert", "delete"})), (2,), 2),
    Setting(Alphabet("abc"), "aba", Threat(neighbours={"a": "b", "b": "c", "c": "a"}), (2,), 2, label=1),
    Setting(Alphabet("ab"), "abb", Threat(frozenset({"substitute"})), (1, 2), 2),  # dropped characters delete
    Setting(Alphabet("ab"), "ab", Threat(), (2,), 3, limit=8, ties=True),
]


@pytest.mark.parametrize("setting", CORNERS, ids=lambda setting: str(setting.threat))
def test_no_script_of_k_edits_is_overlooked(setting):
    tally = judged(every_target(setting))
    assert tally.cases > 3  # of the texts at distance k, some can be broken alone
    assert not tally.unsound, str(tally)


def test_the_programme_does_what_it_says():
    """Margins of the whole ball, from the model itself: lost at the target alone."""
    setting = Setting(Alphabet("abc"), "aba", Threat(frozenset({"insert", "delete"})), (2,), 2)
    programme = Programme(setting)
    target = programme.ids.index((3, 2, 1))  # cba: delete a, insert c
    model = programme.model(target)
    texts = ["".join("abc"[symbol - 1] for symbol in ids) for ids in programme.ids]
    labels = model.predict(texts)
    assert [text for text, label in zip(texts, labels, strict=True) if label != "0"] == ["cba"]


def test_a_bounded_search_finds_no_false_sentence():
    tally = judged(PLAN.cases(PLAN.seed), count=PLAN.gate)
    assert not tally.unsound, str(tally)


@pytest.mark.long
@pytest.mark.parametrize("seed", [2, 3])
def test_a_long_search_finds_no_false_sentence(seed):
    tally = judged(PLAN.cases(seed), seconds=LONG_SECONDS)
    assert not tally.unsound, str(tally)
