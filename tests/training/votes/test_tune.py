"""The search for options: on held-out rows, resumable, the best is chosen."""

import json

import numpy as np
import pytest

import levcert
from levcert import Dataset, InputError, Split
from levcert.training.votes import tune
from levcert.training.votes.tune import Trial, Tuning

SMALL = {"table_bits": 12, "epochs": 2}
GRID = {"orders": [(2,), (2, 3)], "temperature": [1.0]}


@pytest.fixture(scope="module")
def toy():
    return levcert.load_dataset("toy")


def test_the_best_trial_has_the_highest_verified_accuracy(toy):
    seen = []
    found = levcert.tune(toy, 1, GRID, rows=60, report=seen.append, **SMALL)
    assert len(found.trials) == len(seen) == 2
    assert found.best.verified == max(trial.verified for trial in found.trials)
    assert found.config().orders == tuple(found.best.options["orders"])
    assert found.config().table_bits == 12


def test_of_equal_trials_the_more_accurate_one_is_chosen():
    trials = tuple(Trial({"seed": seed}, accuracy, 0.5, 1.0) for seed, accuracy in enumerate((0.7, 0.9, 0.8)))
    assert Tuning(trials, 1).best.options == {"seed": 1}


def test_the_test_split_is_not_looked_at(toy):
    class Forbidden(Split):
        @property
        def texts(self):
            raise AssertionError("the test split was read")

    hidden = object.__new__(Forbidden)
    object.__setattr__(hidden, "labels", np.zeros(0, dtype=np.int64))
    dataset = object.__new__(Dataset)
    for name, value in {"name": "x", "labels": toy.labels, "train": toy.train, "test": hidden, "source": ""}.items():
        object.__setattr__(dataset, name, value)
    levcert.tune(dataset, 1, {"orders": [(2,)]}, rows=50, **SMALL)


def test_a_search_goes_on_after_a_kill(toy, tmp_path, monkeypatch):
    journal = tmp_path / "trials.jsonl"
    first = levcert.tune(toy, 1, GRID, rows=60, journal=journal, **SMALL)
    lines = journal.read_text().splitlines()
    assert [json.loads(line)["trial"]["verified"] for line in lines] == [trial.verified for trial in first.trials]
    journal.write_text(lines[0] + "\n" + lines[1][:20])  # killed while it wrote the second
    trained = []
    train = tune.train_votes
    monkeypatch.setattr(tune, "train_votes", lambda *args, **kw: trained.append(1) or train(*args, **kw))
    again = levcert.tune(toy, 1, GRID, rows=60, journal=journal, **SMALL)
    assert len(trained) == 1
    assert [t.verified for t in again.trials] == [t.verified for t in first.trials]
    levcert.tune(toy, 2, GRID, rows=60, journal=journal, **SMALL)
    assert len(trained) == 3  # another distance is another search


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"distance": 0}, "at least 1"),
        ({"grid": {"orders": []}}, "empty"),
        ({"grid": {"colour": ["red"]}}, "no training option"),
        ({"rows": 10**6}, "choose fewer"),
    ],
)
def test_what_cannot_be_searched_is_refused(toy, arguments, sentence):
    with pytest.raises(InputError, match=sentence):
        levcert.tune(toy, **({"rows": 50, "grid": {"orders": [(2,)]}} | SMALL | arguments))
