"""Running: rows at once, nothing twice, nothing lost, on any executor and through a kill."""

import os
import re
import signal
import subprocess
import sys
import time
import types
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest

from levcert.benchmark import runner
from levcert.benchmark.quick_study import quick_cells
from levcert.benchmark.result_rows import read_rows
from levcert.benchmark.study import load_study, study_names
from levcert.errors import InputError
from tests.benchmark.tiny_study import tiny_study


def without_times(rows):
    """Rows as they should be on every machine, in any order."""
    cleaned = []
    for row in rows:
        values = {name: value for name, value in row.values.items() if not name.endswith("seconds")}
        cleaned.append((repr(row.settings), values, row.texts))
    return sorted(cleaned, key=repr)


def test_a_run_writes_one_row_per_cell_and_a_second_one_none(tmp_path):
    study = tiny_study()
    steps = []
    first = runner.run(study, tmp_path, tmp_path / "models", done=lambda *step: steps.append(step))
    rows = read_rows(tmp_path / "tiny.jsonl")
    assert (first.there, first.new, first.missing) == (0, 6, {})
    assert steps == [(n, 6) for n in range(1, 7)]
    assert [row.settings for row in rows] == [cell.settings for cell in study.cells]
    assert rows[0].training["config"]["p"] == 1
    assert rows[0].machine["cores"] == os.cpu_count()
    assert {"levcert", "python", "numpy"} <= rows[0].versions.keys()
    assert len(rows[0].texts["fingerprint"]) == 64
    before = (tmp_path / "tiny.jsonl").read_bytes()
    again = runner.run(study, tmp_path, tmp_path / "models")
    assert (again.there, again.new) == (6, 0)
    assert (tmp_path / "tiny.jsonl").read_bytes() == before


def test_threads_and_processes_give_the_rows_of_a_serial_run(tmp_path):
    study, models = tiny_study(), tmp_path / "models"
    runner.run(study, tmp_path / "serial", models)
    with ThreadPoolExecutor(3) as pool:
        runner.run(study, tmp_path / "threads", models, executor=pool)
    with runner.processes(2) as pool:
        runner.run(study, tmp_path / "processes", models, executor=pool)
    serial = without_times(read_rows(tmp_path / "serial" / "tiny.jsonl"))
    assert len(serial) == 6
    assert without_times(read_rows(tmp_path / "threads" / "tiny.jsonl")) == serial
    assert without_times(read_rows(tmp_path / "processes" / "tiny.jsonl")) == serial


def test_cells_of_one_model_train_it_once(tmp_path):
    grid = [{**tiny_study().declaration["grid"][0], "texts": ["first 4", "shuffled 4"], "p": 1, "seed": 1}]
    with ThreadPoolExecutor(2) as pool:
        summary = runner.run(tiny_study(grid=grid), tmp_path, tmp_path / "models", executor=pool)
    assert summary.new == 2
    assert len(list((tmp_path / "models").iterdir())) == 1


def test_a_cell_that_cannot_run_says_why_and_the_others_go_on(tmp_path):
    grid = [{**tiny_study().declaration["grid"][0], "dataset": ["fake_news", "toy"], "p": 1, "seed": 1}]
    summary = runner.run(tiny_study(grid=grid), tmp_path, tmp_path / "models")
    assert summary.new == 1
    (reason,) = summary.missing.values()
    assert "Kaggle" in reason
    nothing = runner.run(tiny_study(), tmp_path / "other", tmp_path / "empty", may_train=False)
    assert (nothing.new, len(nothing.missing)) == (0, 6)


def test_only_some_cells(tmp_path):
    summary = runner.run(tiny_study(), tmp_path, tmp_path / "models", only={"p": ["inf"], "seed": ["2"]})
    assert summary.new == 1
    summary = runner.run(tiny_study(), tmp_path, tmp_path / "models", only={"seed": ["1", "2"]}, may_train=False)
    assert (summary.there, len(summary.missing)) == (1, 3)


@pytest.mark.parametrize(
    ("only", "says"),
    [
        ({"p": ["3"]}, "None of 6 cells has p=3; p can be 1, inf."),
        ({"P": ["1"]}, "None of 6 cells has P=1; the settings are dataset, "),
        ({"seed": ["1"], "p": ["1", "3"]}, "None of 2 cells has p=3"),
    ],
)
def test_cells_that_do_not_exist_are_not_passed_over(tmp_path, only, says):
    with pytest.raises(InputError, match=re.escape(says)):
        runner.run(tiny_study(), tmp_path, tmp_path, only=only)


def test_a_defect_stops_the_run(tmp_path, monkeypatch):
    def defect(subject, specs):
        raise RuntimeError("a proof was refuted")

    monkeypatch.setattr(runner, "measure", defect)
    with pytest.raises(RuntimeError, match="a proof was refuted"):
        runner.run(tiny_study(), tmp_path, tmp_path / "models")


def test_a_cluster_is_an_executor_like_any_other(tmp_path, monkeypatch):
    class Client:
        def __init__(self, address, **_):
            if address != "host:8786":
                raise OSError("timed out")

        def __enter__(self):
            return self

        def __exit__(self, *_):
            pass

        def get_executor(self, **_):
            return ThreadPoolExecutor(2)

    monkeypatch.setitem(sys.modules, "distributed", types.SimpleNamespace(Client=Client))
    with runner.cluster("host:8786") as executor:
        assert runner.run(tiny_study(), tmp_path, tmp_path / "models", executor=executor).new == 6
    with pytest.raises(InputError, match="scheduler at nowhere:1"), runner.cluster("nowhere:1"):
        pass
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(InputError, match=r"levcert\[cluster\]"), runner.cluster("host:8786"):
        pass


@pytest.mark.parametrize("name", study_names())
def test_the_quick_variant_of_every_study_runs(name, tmp_path):
    study = load_study(name)
    summary = runner.run(study, tmp_path, tmp_path / "models", quick=True)
    assert summary.missing == {}
    assert summary.new == len(quick_cells(study)) > 0
    assert (tmp_path / "quick" / f"{name}.jsonl").exists()


def group_lives(group):
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_killed_run_goes_on_without_losing_or_repeating_a_row(tmp_path, workers):
    path = tmp_path / "quick" / "regularisation.jsonl"
    folders = ["--results", tmp_path, "--models", tmp_path / "models", "--workers", workers]
    command = [sys.executable, "-m", "levcert", "benchmark", "regularisation", "--quick", *folders]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    process = subprocess.Popen(command, start_new_session=True, **quiet)
    while process.poll() is None and len(read_rows(path)) < 3:
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL
    while group_lives(process.pid):  # workers end with their parent; otherwise this test runs into its time limit
        time.sleep(0.01)
    kept = read_rows(path)
    cells = quick_cells(load_study("regularisation"))
    assert 3 <= len(kept) < len(cells)
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    rows = read_rows(path)
    assert rows[: len(kept)] == kept
    assert set(Counter(repr(row.settings) for row in rows).values()) == {1}
    assert len(rows) == len(cells)
    assert f"rows before: {len(kept)}, " in done.stdout
    assert done.stderr == ""
