"""``levcert benchmark`` as people type it."""

import json
import re
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

from levcert.benchmark import remeasure as check_module
from levcert.benchmark.results_page import write_page
from levcert.benchmark.study import study_names
from levcert.benchmark.tables_in_pages import fill_places
from levcert.cli.app import app, main

ROOT = Path(__file__).resolve().parents[2]


def run(monkeypatch, *arguments):
    """Run the command as the installed one would; return (exit code, stdout, stderr)."""
    monkeypatch.setattr("sys.argv", ["levcert", "benchmark", *map(str, arguments)])
    with pytest.raises(SystemExit) as ended:
        main()
    return ended.value.code


def test_a_quick_run_says_where_its_rows_are(monkeypatch, tmp_path, capsys):
    options = ["--results", tmp_path, "--models", tmp_path / "models", "--only", "model=alternating"]
    assert run(monkeypatch, "soundness", "--quick", *options) in (0, None)
    out, err = capsys.readouterr()
    assert "rows before: 0, " in out
    assert "model alternating" in out  # the rows themselves, as they were asked for by --only
    assert re.search(r"^  \S.* +\d", out, re.MULTILINE)
    assert err == ""
    assert run(monkeypatch, "soundness", "--quick", *options, "--json") in (0, None)
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert all(row["settings"]["model"] == "alternating" and row["values"] for row in rows)
    assert (tmp_path / "quick" / "soundness.jsonl").exists()


def test_cells_without_a_model_are_named_on_stderr(monkeypatch, tmp_path, capsys):
    options = ["--results", tmp_path, "--models", tmp_path, "--stored-only"]
    assert run(monkeypatch, "length", "--quick", *options) in (0, None)
    out, err = capsys.readouterr()
    assert "rows before: 0, new: 0, not run: 1" in out
    assert err.startswith("levcert: not run: length: dataset toy")


def test_bad_input_is_one_sentence_and_exit_2(monkeypatch, tmp_path, capsys):
    assert run(monkeypatch, "main", "--only", "sst2", "--results", tmp_path) == 2
    assert "name=value" in capsys.readouterr().err
    assert run(monkeypatch, "main", "--only", "p=1", "--only", "p=3", "--results", tmp_path) == 2
    assert capsys.readouterr().err == "levcert: None of 54 cells has p=3; p can be inf, 1, 2.\n"
    assert run(monkeypatch, "check", "--results", tmp_path, "--models", tmp_path) == 2
    assert "Run a study first" in capsys.readouterr().err


def test_check_exits_1_on_a_difference(monkeypatch, tmp_path, capsys):
    found = check_module.Outcome(1, ["main: clean is 1, not 2"])
    monkeypatch.setattr(check_module, "check_rows", lambda *_, **__: found)
    assert run(monkeypatch, "check") == 1
    assert capsys.readouterr().out == "main: clean is 1, not 2\nrows measured again: 1, values that differ: 1\n"
    monkeypatch.setattr(check_module, "check_rows", lambda *_, **__: check_module.Outcome(1, []))
    assert run(monkeypatch, "check") in (0, None)


def test_help_lists_every_study():
    listing = CliRunner().invoke(app, ["benchmark", "--help"]).output
    for name in ("main", "larger-distances", "beyond", "render", "check"):
        assert name in listing


def test_the_generated_pages_are_those_of_the_rows(tmp_path):
    """After new rows: make pages."""
    if not (ROOT / "results").is_dir():
        pytest.skip("installed without results")
    docs, results = tmp_path / "docs", tmp_path / "results"
    docs.mkdir()
    generated = [f"{name}.json" for name in study_names()]
    shutil.copytree(ROOT / "results", results, ignore=shutil.ignore_patterns(*generated, "models"))
    write_page(docs / "results.md", results, docs / "pictures", remarks=True)
    for name in ("results.md", "results-explained.md"):
        assert (docs / name).read_text() == (ROOT / "docs" / name).read_text()
    written, published = (
        {path.name: path.read_text() for path in folder.glob("*.json")} for folder in (results, ROOT / "results")
    )
    assert written == published
    pages = (ROOT / "README.md", *(ROOT / "docs").glob("*.md"))
    places = [page for page in pages if re.search("^<!-- table [a-z]", page.read_text(), re.MULTILINE)]
    assert len(places) > 3
    for page in places:
        copy = tmp_path / page.name
        copy.write_text(page.read_text())
        fill_places(copy, results)
        assert copy.read_text() == page.read_text(), page.name
