"""Labels, columns and file names are as hostile as texts; streams are closed; Ctrl-C comes at once."""

import csv
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from levcert import Alphabet, InputError, VoteModel
from levcert.cli.app import app
from levcert.datasets import RowReader

HOSTILE = "\x1b[31m[bold red]x[/]\r\n\x07\u202e:smile:"
NAME = f"m{HOSTILE.replace('/', '')}.safetensors"
LEVCERT = [sys.executable, "-m", "levcert"]


@pytest.fixture
def run(folder, monkeypatch):
    """Run a command in the folder, in this process."""
    monkeypatch.chdir(folder)
    return lambda *arguments: CliRunner().invoke(app, arguments)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A model whose labels and name are hostile, and a file with such labels and columns."""
    folder = tmp_path_factory.mktemp("hostile")
    votes = np.zeros((1, 4096, 2), np.int8)
    votes[0, ::2, 0] = 5
    votes[0, 1::2, 1] = 5
    model = VoteModel(Alphabet("abcdefgh"), votes, [2], labels=(HOSTILE, "[/]\x1b]0;title\x07"))
    model.save(folder / NAME)
    model.save(folder / "m.safetensors")
    with (folder / "rows.csv").open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["text", f"label{HOSTILE}", "label"])
        rows.writerows([[text, "x", label] for text in ("abc", "de\x1bfg", "ha") for label in model.labels])
    return folder


def only_plain(output):
    """Say that nothing but printable characters and line ends was written."""
    return not [c for c in output if c != "\n" and not c.isprintable()]


@pytest.mark.parametrize(
    "command",
    [
        ["predict", NAME, "abc"],
        ["certify", NAME, "abc", "deadbeef"],
        ["certify", NAME, "--file", "rows.csv"],
        ["evaluate", NAME, "rows.csv", "--max-distance", "1"],
        ["predict", NAME, "--file", "rows.csv", "-o", "out\x1b[31m.csv"],
        ["train", "rows.csv", "-o", "new\x1b[31m.safetensors", "--table-bits", "12", "--epochs", "1"],
        ["info", NAME],
    ],
    ids=lambda command: command[0],
)
def test_nothing_of_theirs_reaches_the_terminal_as_such(run, command):
    ended = run(*command)
    assert ended.exit_code == 0, ended.output
    assert only_plain(ended.stdout), ended.stdout
    assert "[bold red]x" in ended.stdout or "\\x1b[31m" in ended.stdout
    assert "\N{SMILING FACE WITH OPEN MOUTH AND SMILING EYES}" not in ended.stdout  # Rich's :smile:


@pytest.mark.parametrize(
    "command",
    [
        ["predict", "none\x1b[31m\n.safetensors", "abc"],
        ["predict", "m.safetensors", "--file", "rows.csv", "--text-column", "no\x1b[31m\n"],
        ["predict", "m.safetensors", "--file", "rows\x1b[31m\n.txt"],
    ],
)
def test_errors_are_one_plain_line(run, command):
    ended = run(*command)
    assert ended.exit_code == 2
    assert only_plain(ended.stderr), ended.stderr
    assert ended.stderr.count("\n") == 1


def test_mistyped_options_are_shown_plainly(run):
    ended = run("predict", "m.safetensors", "--no\x1b[31m")
    assert ended.exit_code == 2
    assert "\x1b" not in ended.stderr


def test_invalid_utf8_in_parquet_is_a_bad_row(tmp_path):
    raw = pa.array([b"good", b"\xff\xfe bad", None, b"fine"], type=pa.binary())
    texts = raw.view(pa.string())
    pq.write_table(pa.table({"text": texts, "label": ["x", "y", "x", "y"]}), tmp_path / "rows.parquet")
    with pytest.raises(InputError, match="line 2: bad encoding"):
        list(RowReader(tmp_path / "rows.parquet"))
    skipping = RowReader(tmp_path / "rows.parquet", on_bad_row="skip")
    assert [row.text for row in skipping] == ["good", "fine"]
    assert skipping.skipped == {"bad encoding, the text is not UTF-8": 1, "missing text": 1}


@pytest.mark.parametrize(
    ("model", "closed"), [("m", "<&- >&- 2>&-"), ("none", "2>&-"), ("m", ">/dev/full"), ("none", "2>/dev/full")]
)
def test_closed_and_full_streams_end_cleanly(folder, closed, model):
    line = f"{sys.executable} -m levcert predict {model}.safetensors abc {closed}"
    ended = subprocess.run(["sh", "-c", line], cwd=folder, capture_output=True, timeout=300)
    assert ended.returncode == (2 if model == "none" or closed == ">/dev/full" else 0), ended.stderr
    assert b"Traceback" not in ended.stderr
    assert b"Exception ignored" not in ended.stderr


@pytest.mark.parametrize("milliseconds", [150, 600])
def test_ctrl_c_at_any_moment_is_one_line(folder, milliseconds):
    """Whether it comes while modules are imported or while a model is read."""
    process = subprocess.Popen(
        [*LEVCERT, "predict", "m.safetensors"],
        cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    time.sleep(milliseconds / 1000)
    os.kill(process.pid, signal.SIGINT)
    try:
        process.wait(timeout=60)
    finally:
        process.kill()
    _, said = process.communicate()
    if b"levcert: " not in said and b"__main__.py" not in said:
        pytest.skip("Python itself had not started yet")
    assert said == b"levcert: interrupted.\n"
    assert process.returncode == 130
