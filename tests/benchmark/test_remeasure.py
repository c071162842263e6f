"""Published rows are measured again, and a number that does not come out again is found."""

from dataclasses import replace
from pathlib import Path

import pytest

from levcert.benchmark import remeasure, runner
from levcert.benchmark.remeasure import check_rows, compare
from levcert.benchmark.result_rows import append_row, read_rows
from levcert.errors import InputError
from tests.benchmark.tiny_study import made_up_rows, tiny_study


@pytest.fixture
def study(monkeypatch):
    monkeypatch.setattr(remeasure, "study_names", lambda: ("tiny",))
    monkeypatch.setattr(remeasure, "load_study", lambda name: tiny_study())
    return tiny_study()


def test_rows_come_out_again_and_a_changed_one_does_not(study, tmp_path):
    runner.run(study, tmp_path, tmp_path / "models", only={"p": ["1"]})
    assert check_rows(tmp_path, tmp_path / "models", 10, 1) == remeasure.Outcome(3, [])
    steps = []
    assert check_rows(tmp_path, tmp_path / "models", 2, 1, done=lambda *step: steps.append(step)).checked == 2
    assert steps == [(1, 2), (2, 2)]
    row = read_rows(tmp_path / "tiny.jsonl")[1]
    append_row(tmp_path / "tiny.jsonl", replace(row, values=row.values | {"clean": row.values["clean"] + 10}))
    outcome = check_rows(tmp_path, tmp_path / "models", 10, 1)
    assert outcome.checked == 3
    (line,) = outcome.differences
    assert f"clean is {row.values['clean']}, but the row says {row.values['clean'] + 10}" in line


def test_rows_without_a_stored_model_cannot_be_checked(study, tmp_path):
    append_row(tmp_path / "tiny.jsonl", made_up_rows(study, [{"clean": 1.0}])[0])
    with pytest.raises(InputError, match="No row of 1 in"):
        check_rows(tmp_path, tmp_path / "models", 1, 1)


def test_models_that_come_out_the_same_again_may_be_trained_for_it(study, tmp_path, monkeypatch):
    grid = {"dataset": "toy", "texts": "first 10", "model": "votes", "seed": 1, "epochs": 1, "table_bits": 12}
    both = tiny_study(grid=[study.declaration["grid"][0], {**grid, "measures": ["clean"]}])
    monkeypatch.setattr(remeasure, "load_study", lambda name: both)
    runner.run(both, tmp_path, tmp_path / "models", only={"seed": ["1"]})
    with pytest.raises(InputError, match="No row of 3 in"):
        check_rows(tmp_path, tmp_path / "none", 10, 1)
    assert check_rows(tmp_path, tmp_path / "new", 10, 1, may_train=True) == remeasure.Outcome(1, [])


def test_the_networks_in_the_repository_give_their_published_rows(shared_data, monkeypatch):
    monkeypatch.setenv("LEVCERT_DATA", str(shared_data))
    results = Path(__file__).resolve().parents[2] / "results"
    assert check_rows(results, results / "models", 2, 1) == remeasure.Outcome(2, [])


def test_times_may_differ_and_texts_may_not():
    study = tiny_study()
    row, again = made_up_rows(study, [{"a seconds": 1.0}] * 2)
    assert compare(study.cells[0], row, replace(again, values={"a seconds": 2.0})) == []
    assert compare(study.cells[0], row, replace(again, texts={"count": 9})) != []
