"""What a user sees first: importing, the command, its errors."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import levcert

COMMAND = Path(sys.executable).with_name("levcert")


def run(*arguments, **environment):
    return subprocess.run(
        [COMMAND, *arguments],
        capture_output=True,
        text=True,
        env=os.environ | environment,
        check=False,
        timeout=120,
    )


def test_importing_levcert_imports_nothing_heavy():
    heavy = ["torch", "sklearn", "numba", "scipy", "pyarrow", "typer", "numpy"]
    code = f"import sys, levcert; print([m for m in {heavy} if m in sys.modules])"
    assert subprocess.check_output([sys.executable, "-c", code], text=True).strip() == "[]"


@pytest.mark.parametrize("name", levcert.__all__)
def test_public_names_are_there_and_documented(name):
    assert getattr(levcert, name).__doc__
    assert name in dir(levcert)


def test_there_is_no_other_name():
    with pytest.raises(AttributeError, match="no attribute 'certfy'"):
        levcert.certfy  # noqa: B018


def test_the_version_is_the_installed_one():
    from importlib.metadata import version

    assert levcert.__version__ == version("levcert")


def test_help_names_the_commands():
    result = run("--help")
    assert result.returncode == 0
    assert "demo" in result.stdout
    assert "datasets" in result.stdout


def test_the_demo_says_what_matters_without_torch(tmp_path):
    (tmp_path / "torch.py").write_text("raise ImportError('the demo must not need torch')")
    path = os.pathsep.join([str(tmp_path), *filter(None, [os.environ.get("PYTHONPATH")])])
    result = run("demo", COLUMNS="140", PYTHONPATH=path)
    assert result.returncode == 0, result.stderr
    lines = result.stdout.splitlines()
    assert lines[0] == "A label with a proof: no k typos, of any kind and anywhere in the text, change it."
    assert "16,000" in lines[1]
    assert "  meaning    Proved: one edit cannot change the label; 2 can." in lines
    assert any("[-" in line and "-]" in line for line in lines)  # the edits that break it
    assert "provably stay so under any single edit" in result.stdout
    assert [line.split()[1] for line in lines[-3:]] == ["train", "certify", "serve"]
    assert "Traceback" not in result.stderr


def test_datasets_lists_and_describes():
    assert "ag_news" in run("datasets").stdout
    assert "letters" in run("datasets", "toy").stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("datasets", "mnist"), "levcert: There is no dataset 'mnist'; there are languages, toy"),
        (("datasets", "fake_news"), "levcert: The dataset fake_news is not on this machine."),
        (("datasets", "imdb", "--data-dir", "/nowhere"), "levcert: The data folder /nowhere does not exist"),
    ],
)
def test_bad_input_is_one_sentence_and_exit_code_2(arguments, message):
    result = run(*arguments)
    assert result.returncode == 2
    assert result.stderr.startswith(message)
    assert "Traceback" not in result.stderr
    assert result.stdout == ""


def test_bad_usage_is_exit_code_2():
    assert run("no-such-command").returncode == 2


def test_the_demo_s_figures_come_as_json_too(monkeypatch, capsys):
    import json

    from levcert.cli import demo
    from levcert.cli.commands.demo import demo as command

    monkeypatch.setattr(demo, "load_dataset", lambda name: levcert.load_dataset("toy"))
    monkeypatch.setattr(demo, "CERTIFIED_TEXTS", 5)
    monkeypatch.setattr(demo, "RECIPE", {"orders": (2,), "table_bits": 12, "epochs": 1})
    command(json=True)
    figures = json.loads(capsys.readouterr().out)
    assert figures["certified_texts"] == 5
    assert set(figures["verified_accuracy"]) == {"0", "1", "2"}
