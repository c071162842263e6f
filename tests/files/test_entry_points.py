"""Certifiers, attacks, datasets and measures of other packages are found by their names."""

from importlib.metadata import EntryPoint

import numpy as np
import pytest

import levcert
from levcert.attacks.greedy import Greedy
from levcert.benchmark.measures.base import Measurement, Subject
from levcert.benchmark.measures.catalog import measure
from levcert.certifiers.lipschitz import Lipschitz
from levcert.files import entry_points
from tests.counting_model import counting_model


class Mine(Lipschitz):
    name = "mine"


class Other(Greedy):
    name = "other"


def few(data_dir=None):
    split = levcert.Split(["ab", "12"], np.array([0, 1]))
    return levcert.Dataset("few", ("letters", "digits"), split, split, "made up")


def count(subject, spec):
    return Measurement({spec["name"]: float(len(subject.texts))})


@pytest.fixture(autouse=True)
def installed(monkeypatch):
    """Pretend that a package registered these."""
    here = __name__
    found = {
        "levcert.certifiers": {"mine": f"{here}:Mine", "exact": f"{here}:Mine", "broken": f"{here}:nothing"},
        "levcert.attacks": {"other": f"{here}:Other"},
        "levcert.datasets": {"few": f"{here}:few"},
        "levcert.measures": {"count": f"{here}:count"},
    }
    monkeypatch.setattr(
        entry_points,
        "entry_points",
        lambda group: [EntryPoint(name, value, group) for name, value in found[group].items()],
    )


def test_all_four_kinds():
    model = counting_model()
    assert levcert.certify(model, ["abc"], "mine")[0].method == "mine"
    assert levcert.attack(model, ["abc"], "other")[0].method == "other"
    assert levcert.load_dataset("few").labels == ("letters", "digits")
    subject = Subject(model, ["a", "b"], ["letters", "letters"], {})
    assert measure(subject, [{"name": "n", "kind": "count"}]) == {"n": 2.0}


def test_what_levcert_has_itself_stays_its_own():
    assert levcert.certify(counting_model(), ["abc"], "exact")[0].method == "exact"


def test_errors_name_what_there_is():
    with pytest.raises(levcert.InputError, match=r"no certifier 'magic'; there are auto.*mine"):
        levcert.certify(counting_model(), ["abc"], "magic")
    with pytest.raises(levcert.InputError, match="cannot be loaded"):
        levcert.certify(counting_model(), ["abc"], "broken")
    with pytest.raises(levcert.InputError, match=r"no dataset 'magic'; there are .*few.*or name a file"):
        levcert.load_dataset("magic")
