"""How the real command ends: pipes, Ctrl-C, a killed machine, a missing extra."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest

from levcert.certificates.certificates import Certificates
from tests.cli.conftest import COMMAND

LINES = ["hello w0rld", "12e4567", "abc", "99999", "abcdef"]


def started(*arguments, folder, lines):
    """Start the command on a pipe that stays open, and wait until it has answered the lines so far."""
    process = subprocess.Popen(
        [COMMAND, *arguments], cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    process.stdin.write("".join(f"{line}\n" for line in lines).encode())
    process.stdin.flush()
    for _ in range(1200):  # however slow the machine
        if rows_in_journal(folder) == len(lines) or process.poll() is not None:
            break
        time.sleep(0.1)
    return process


def rows_in_journal(folder):
    """How many rows are safe in the folder's only interrupted run; None if there is none."""
    for journal in folder.glob("*.journal"):
        lines = journal.read_bytes().splitlines(keepends=True)
        return sum(json.loads(line.partition(b" ")[2])["rows"] for line in lines[1:] if line.endswith(b"\n"))
    return None


def ended(process, how):
    process.send_signal(how)
    _, said = process.communicate(timeout=60)
    return process.returncode, said.decode()


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_ctrl_c_keeps_whole_rows_and_resume_goes_on(ending, folder, invoke):
    process = started("certify", "toy.safetensors", "-o", f"out.{ending}", folder=folder, lines=LINES[:3])
    code, said = ended(process, signal.SIGINT)
    assert code == 130
    assert said == (
        f"levcert: interrupted. 3 rows are in out.{ending}.part; run the same command with --resume to continue.\n"
    )
    assert rows_in_journal(folder) == 3
    assert not (folder / f"out.{ending}").exists()
    stdin = "\n".join(LINES)
    forgotten = invoke("certify", "toy.safetensors", "-o", f"out.{ending}", stdin=stdin)
    assert forgotten.exit_code == 2
    assert "holds 3 rows of an interrupted run; add --resume, or delete out." in forgotten.stderr
    resumed = invoke("certify", "toy.safetensors", "-o", f"out.{ending}", "--resume", stdin=stdin)
    assert resumed.exit_code == 0, resumed.stderr
    assert "5 certificates" in resumed.stdout
    invoke("certify", "toy.safetensors", "-o", "whole.csv", stdin=stdin)
    assert list(Certificates.read(folder / f"out.{ending}")) == list(Certificates.read(folder / "whole.csv"))
    assert not [*folder.glob("*.part"), *folder.glob("*.journal")]


def test_a_killed_run_loses_no_row_and_a_torn_one_is_done_again(folder, invoke):
    process = started("certify", "toy.safetensors", "-o", "out.jsonl", folder=folder, lines=LINES[:2])
    ended(process, signal.SIGKILL)
    part = folder / "out.jsonl.part"
    whole = part.read_bytes()
    assert [json.loads(line)["text"] for line in whole.splitlines()] == LINES[:2]
    part.write_bytes(whole + b'{"text": "ab')
    other = invoke("certify", "toy.safetensors", "-o", "out.jsonl", "--resume", stdin="another text\n")
    assert other.exit_code == 2
    assert "The input differs from that of the interrupted run in rows 1 to" in other.stderr
    options = invoke("certify", "toy.safetensors", "-o", "out.jsonl", "--resume", "--budget", 9, stdin="abc\n")
    assert options.exit_code == 2
    assert "because the option budget was not given and is now 9.0; run it as it was begun" in options.stderr
    assert invoke("certify", "toy.safetensors", "-o", "out.jsonl", "--resume", stdin="\n".join(LINES)).exit_code == 0
    assert [row.text for row in Certificates.read(folder / "out.jsonl")] == LINES


def test_a_bad_row_after_good_ones_says_where_those_are(folder, invoke):
    stdin = "abc\n\nhello\n"
    result = invoke("attack", "toy.safetensors", "-o", "out.csv", stdin=stdin)
    assert result.exit_code == 2
    assert "line 2: missing text." in result.stderr
    assert "1 row is in out.csv.part;" in result.stderr
    flags = ("--resume", "--on-bad-row", "skip")
    assert invoke("attack", "toy.safetensors", "-o", "out.csv", *flags, stdin=stdin).exit_code == 0
    assert (folder / "out.csv").read_text().count("\n") == 3


def test_ctrl_c_without_rows_leaves_nothing(folder):
    process = started("certify", "toy.safetensors", "-o", "out.csv", folder=folder, lines=[])
    code, said = ended(process, signal.SIGINT)
    assert code == 130
    assert "Traceback" not in said
    assert [path.name for path in folder.iterdir()] == ["toy.safetensors"]


def test_evaluate_shows_what_it_has_when_interrupted(folder, invoke, monkeypatch):
    from levcert.cli.run_tasks import EvaluateTask

    answers = EvaluateTask.answers

    def interrupted(self, model, chunk):
        if chunk.rows[0] > 1:
            raise KeyboardInterrupt
        return answers(self, model, chunk)

    monkeypatch.setattr(EvaluateTask, "answers", interrupted)
    result = invoke("evaluate", "toy.safetensors", "toy", "--json")
    assert result.exit_code == 130
    assert json.loads(result.stdout)["rows"] == 8
    assert "the figures are those of the first 8 rows" in result.stderr


@pytest.mark.parametrize("flags", ["", "--json", "--json --workers 2"])
def test_a_reader_that_leaves_is_a_sentence(flags, shell, folder):
    (folder / "rows.csv").write_text("text\n" + "hello w0rld and more of it\n" * 5000)
    result = shell(f"levcert predict toy.safetensors -f rows.csv {flags} | head -n 2")
    assert result.returncode == 2  # as ``pipefail`` sees it: two rows are not all rows
    assert result.stderr == "levcert: The program that reads the output stopped reading; the rest is not printed.\n"
    assert result.stdout.count("\n") == 2


def test_a_closed_pipe_loses_no_row_of_a_file(folder):
    (folder / "rows.csv").write_text("text\n" + "hello w0rld\n" * 20)
    reading, writing = os.pipe()
    os.close(reading)
    arguments = [COMMAND, "predict", "toy.safetensors", "-f", "rows.csv", "-o", "out.csv"]
    result = subprocess.run(arguments, stdout=writing, stderr=subprocess.PIPE, text=True, check=False)
    os.close(writing)
    assert (result.returncode, result.stderr.count("\n")) == (2, 1)
    assert [path.name for path in sorted(folder.glob("out.csv*"))] == ["out.csv", "out.csv.manifest"]
    assert (folder / "out.csv").read_bytes().count(b"\n") == 21


def test_a_pipe_gets_each_answer_at_once(folder):
    command = [COMMAND, "predict", "toy.safetensors", "--json"]
    with subprocess.Popen(command, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        for line in ("abc", "123"):
            process.stdin.write(f"{line}\n".encode())
            process.stdin.flush()
            assert json.loads(process.stdout.readline())["text"] == line
    assert process.returncode == 0


def test_any_text_can_be_printed_on_any_terminal(shell):
    result = shell("PYTHONIOENCODING=ascii levcert predict toy.safetensors 'größer €'")
    assert result.returncode == 0
    assert r"gr\xf6\xdfer \u20ac" in result.stdout


def test_a_missing_extra_is_named(folder):
    code = (
        "import sys; sys.modules['torch'] = None; sys.argv = ['levcert', 'train', 'toy', '--model', 'conv']\n"
        "from levcert.cli.app import main; main()"
    )
    result = subprocess.run([sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, check=False)
    assert result.returncode == 2
    assert result.stderr.startswith("levcert: This needs torch; install it with: pip install 'threadpoolctl>=")
    assert "'torch>=" in result.stderr
    assert "levcert[" not in result.stderr  # where levcert came from a clone, an index may not have it


def test_a_full_disk_is_a_sentence(invoke, monkeypatch):
    from levcert.runs import part_file

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(part_file.PartFile, "append", full)
    result = invoke("certify", "toy.safetensors", "-o", "out.csv", stdin="abc\n")
    assert result.exit_code == 2
    assert result.stderr == "levcert: Cannot write out.csv.part: No space left on device.\n"
