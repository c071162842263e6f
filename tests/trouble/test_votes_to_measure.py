"""For every text of a ball there are votes that it alone breaks: every certifier must see it."""

from dataclasses import replace

import pytest

from levcert import Alphabet, Threat
from tests.trouble.judge import judged
from tests.trouble.milp_votes import Programme, Setting, corner_cases, corners, every_target


def test_no_script_of_k_edits_is_overlooked():
    """Complete settings: every text at distance k is a target."""
    tally = judged(corner_cases())
    assert not tally.unsound, str(tally)


@pytest.mark.long
@pytest.mark.parametrize("setting", corners(), ids=lambda setting: f"{setting.text} {setting.threat}")
def test_no_script_of_k_edits_is_overlooked_by_larger_votes(setting):
    tally = judged(every_target(replace(setting, orders=(2, 3), limit=8)))
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
