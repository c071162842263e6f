"""Long runs of the real command: killed, stopped, on a full disk, with two writers, on workers and a cluster."""

import csv
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from levcert.certificates.certificates import Certificates
from tests.cli.conftest import COMMAND
from tests.cli.soak import ENDINGS, make_rows, soak
from tests.cli.test_exit_codes import ended, rows_in_journal, started

LINES = ["hello w0rld", "12e4567", "abc", "99999", "abcdef"]
CERTIFY = ("certify", "toy.safetensors", "--file", "rows.csv", "--method", "lipschitz")


def run(folder, *arguments):
    return subprocess.run(
        [COMMAND, *map(str, arguments)], cwd=folder, capture_output=True, text=True, check=False, timeout=200
    )


def one_sentence(said):
    return said.startswith("levcert: ") and said.count("\n") == 1 and "Traceback" not in said


def test_two_workers_give_the_bytes_of_one(folder, invoke):
    make_rows(folder / "rows.csv", 3000)
    assert run(folder, *CERTIFY, "-o", "2.csv", "--workers", 2).returncode == 0
    assert invoke(*CERTIFY, "-o", "1.csv", "--workers", 1).exit_code == 0
    assert (folder / "1.csv").read_bytes() == (folder / "2.csv").read_bytes()


def test_a_cluster_gives_the_bytes_of_one_process(folder, invoke):
    pytest.importorskip("distributed")
    make_rows(folder / "rows.csv", 1000)
    result = run(folder, *CERTIFY, "-o", "cluster.jsonl", "--cluster", "local:2")
    assert (result.returncode, result.stderr) == (0, "")
    assert invoke(*CERTIFY, "-o", "alone.jsonl", "--workers", 1).exit_code == 0
    assert (folder / "cluster.jsonl").read_bytes() == (folder / "alone.jsonl").read_bytes()


def test_a_cluster_that_is_not_there_or_not_asked_for_well(folder, invoke):
    make_rows(folder / "rows.csv", 3)
    for flags, message in (
        (("--cluster", "local:none"), "such as local:4"),
        (("--cluster", "local:2", "--workers", 2), "not both"),
        (("--cluster", "tls://127.0.0.1:1", "--tls-key", "none.pem"), "TLS needs three files"),
    ):
        if "local:none" in flags or "tls://127.0.0.1:1" in flags:
            pytest.importorskip("distributed")
        result = invoke(*CERTIFY, "-o", "out.csv", *flags)
        assert result.exit_code == 2
        assert message in result.stderr
        assert not list(folder.glob("out.csv*"))


def test_killed_runs_lose_nothing(folder):
    make_rows(folder / "rows.csv", 600)
    result = soak(folder, folder / "toy.safetensors", "jsonl", 2, longest=0.2)
    assert (result.lost, result.doubled, result.bytes_equal) == (0, 0, True)


@pytest.mark.long
@pytest.mark.timeout(3000)
@pytest.mark.parametrize("ending", ENDINGS)
def test_thirty_kills_lose_nothing(ending, folder):
    make_rows(folder / "rows.csv", 20_000)
    result = soak(folder, folder / "toy.safetensors", ending, 10)
    assert (result.lost, result.doubled, result.bytes_equal) == (0, 0, True)


def test_sigterm_is_a_sentence_and_nothing_is_lost(folder, invoke):
    process = started("certify", "toy.safetensors", "-o", "out.csv", folder=folder, lines=LINES[:3])
    code, said = ended(process, signal.SIGTERM)
    assert code == 2
    assert said == (
        "levcert: stopped by SIGTERM. 3 rows are in out.csv.part; run the same command with --resume to continue.\n"
    )
    assert invoke("certify", "toy.safetensors", "-o", "out.csv", "--resume", stdin="\n".join(LINES)).exit_code == 0
    assert [row.text for row in Certificates.read(folder / "out.csv")] == LINES


def test_ctrl_c_stops_all_workers(folder):
    make_rows(folder / "rows.csv", 4000)
    arguments = [COMMAND, "certify", "toy.safetensors", "-f", "rows.csv", "-o", "out.csv", "--workers", "2"]
    process = subprocess.Popen(arguments, cwd=folder, stderr=subprocess.PIPE, start_new_session=True)
    while not rows_in_journal(folder) and process.poll() is None:
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does
    _, said = process.communicate(timeout=100)
    assert process.returncode == 130
    assert one_sentence(said.decode())
    while group_lives(process.pid):  # otherwise this test runs into its time limit
        time.sleep(0.05)


def group_lives(group):
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


def test_the_second_of_two_writers_is_refused(folder, invoke):
    process = started("certify", "toy.safetensors", "-o", "out.csv", folder=folder, lines=LINES[:2])
    second = invoke("certify", "toy.safetensors", "-o", "out.csv", "--resume", stdin="\n".join(LINES))
    assert second.exit_code == 2
    assert one_sentence(second.stderr)
    assert "Another run is writing out.csv" in second.stderr
    process.stdin.write("".join(f"{line}\n" for line in LINES[2:]).encode())
    process.communicate(timeout=100)
    assert process.returncode == 0
    assert [row.text for row in Certificates.read(folder / "out.csv")] == LINES


@pytest.fixture
def small_disk(tmp_path_factory):
    """A file system of its own, of 200 kB."""
    folder = tmp_path_factory.mktemp("disk")
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=400k", "tmpfs", folder], capture_output=True, check=False
    )
    if mounted.returncode:
        pytest.skip("only root can mount a small disk")
    yield folder
    subprocess.run(["umount", folder], check=True)


@pytest.mark.skipif(sys.platform != "linux", reason="mounts a tmpfs")
@pytest.mark.parametrize("ending", ENDINGS)
def test_a_full_disk_and_a_read_only_one(ending, folder, small_disk, invoke):
    make_rows(folder / "rows.csv", 3000)
    flags = (*CERTIFY, "--workers", 1, "-o")
    full = invoke(*flags, small_disk / f"out.{ending}")
    assert full.exit_code == 2
    assert one_sentence(full.stderr)
    assert "No space left on device" in full.stderr
    assert "run the same command with --resume to continue." in full.stderr
    subprocess.run(["mount", "-o", "remount,ro,size=400k", small_disk], check=True)
    locked = invoke(*flags, small_disk / f"out.{ending}", "--resume")
    assert locked.exit_code == 2
    assert one_sentence(locked.stderr)
    assert "its folder does not exist or is not writable" in locked.stderr
    subprocess.run(["mount", "-o", "remount,rw,size=20m", small_disk], check=True)
    assert invoke(*flags, small_disk / f"out.{ending}", "--resume").exit_code == 0
    assert invoke(*flags, f"whole.{ending}").exit_code == 0
    assert (small_disk / f"out.{ending}").read_bytes() == (folder / f"whole.{ending}").read_bytes()


def interrupted_run(folder, invoke, monkeypatch, *arguments):
    """Run a command in chunks of one row, until Ctrl-C after two of them."""
    from levcert.runs import engine, part_file

    append, calls = part_file.PartFile.append, []

    def twice(self, *given):
        calls.append(given)
        if len(calls) == 3:
            raise KeyboardInterrupt
        append(self, *given)

    with monkeypatch.context() as patched:
        patched.setattr(engine, "_MOST_ROWS", 1)
        patched.setattr(part_file.PartFile, "append", twice)
        assert invoke(*arguments).exit_code == 130
    return rows_in_journal(folder)


@pytest.mark.parametrize("name", ["predict", "attack", "evaluate"])
def test_every_command_continues(name, folder, invoke, monkeypatch):
    with (folder / "rows.csv").open("w", newline="") as file:
        csv.writer(file).writerows([["text", "label"], *([line, "letters"] for line in LINES * 4)])
    inputs = ("rows.csv",) if name == "evaluate" else ("--file", "rows.csv")
    arguments = (name, "toy.safetensors", *inputs, "--json", "-o")
    done = interrupted_run(folder, invoke, monkeypatch, *arguments, "out.csv")
    resumed = invoke(*arguments, "out.csv", "--resume")
    whole = invoke(*arguments, "whole.csv")
    assert resumed.exit_code == whole.exit_code == 0, resumed.stderr
    assert (folder / "out.csv").read_bytes() == (folder / "whole.csv").read_bytes()
    facts = [json.loads(result.stdout) for result in (resumed, whole)]
    for fact in facts:
        fact.pop("output", None)
        fact.pop("seconds", None)
    assert facts[0] == facts[1]
    assert facts[0]["rows"] == 20
    assert done is None or done < 20


def test_a_changed_input_model_or_option_is_refused(folder, invoke, monkeypatch):
    make_rows(folder / "rows.csv", 50)
    interrupted_run(folder, invoke, monkeypatch, *CERTIFY, "-o", "out.csv")
    options = invoke(*CERTIFY, "-o", "out.csv", "--resume", "--operations", "delete")
    assert "because the option threat was any edit and is now " in options.stderr
    (folder / "rows.csv").write_bytes((folder / "rows.csv").read_bytes() + b"51,more\n")
    changed = invoke(*CERTIFY, "-o", "out.csv", "--resume")
    assert (options.exit_code, changed.exit_code) == (2, 2)
    assert one_sentence(changed.stderr)
    assert "because the input rows.csv has changed since; run it as it was begun, or delete" in changed.stderr


def test_a_complete_output_is_not_computed_again(folder, invoke):
    make_rows(folder / "rows.csv", 20)
    first = invoke(*CERTIFY, "-o", "out.csv")
    again = invoke(*CERTIFY, "-o", "out.csv")
    assert again.exit_code == 0
    assert again.stdout == first.stdout
    assert "out.csv is complete already, with the same input, model and options" in again.stderr


def test_rows_join_with_those_of_the_user(folder, invoke):
    (folder / "one.csv").write_bytes("id;text;label\n7;grün;a\n8;;b\n9;abc;c\n".encode("cp1252"))
    (folder / "two.jsonl").write_text('{"text": "123", "id": [1], "label": "=1+1"}\n')
    files = ("--file", "one.csv", "--file", "two.jsonl", "--on-bad-row", "skip", "--keep-columns", "id,label")
    result = invoke("predict", "toy.safetensors", *files, "-o", "out.csv")
    assert result.exit_code == 0, result.stderr
    assert "one.csv: guessed encoding cp1252 (--encoding), columns separated by ';' (--delimiter)" in result.stderr
    with (folder / "out.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [(row["file"], row["row"], row["text"], row["id"], row["input_label"]) for row in rows] == [
        ("one.csv", "1", "grün", "7", "a"),
        ("one.csv", "3", "abc", "9", "c"),
        ("two.jsonl", "1", "123", "[1]", "=1+1"),
    ]
    assert invoke("predict", "toy.safetensors", *files, "-o", "safe.csv", "--safe-csv").exit_code == 0
    assert "'=1+1" in (folder / "safe.csv").read_text()
    lines = invoke("predict", "toy.safetensors", *files, "--json").stdout.splitlines()
    assert json.loads(lines[2])["id"] == [1]
    assert invoke("predict", "toy.safetensors", *files, "-o", "out.parquet").exit_code == 0
    assert pq.read_table(folder / "out.parquet").column("id").to_pylist() == ["7", "9", "[1]"]


def test_seconds_are_written_on_request_only(folder, invoke):
    make_rows(folder / "rows.csv", 20)
    for name in ("a.csv", "b.csv"):
        assert invoke(*CERTIFY, "-o", name).exit_code == 0
    assert (folder / "a.csv").read_bytes() == (folder / "b.csv").read_bytes()
    assert "seconds" not in (folder / "a.csv").read_text().partition("\n")[0]
    assert invoke(*CERTIFY, "-o", "c.csv", "--seconds").exit_code == 0
    assert all(row.seconds > 0 for row in Certificates.read(folder / "c.csv"))


def test_shards_together_are_the_whole(folder, invoke):
    make_rows(folder / "rows.csv", 50)
    found = []
    for number in (1, 2, 3):
        assert invoke(*CERTIFY, "--shard", f"{number}/3", "-o", f"{number}.jsonl").exit_code == 0
        found += (folder / f"{number}.jsonl").read_text().splitlines()
    assert invoke(*CERTIFY, "-o", "whole.jsonl").exit_code == 0
    assert sorted(found, key=lambda line: json.loads(line)["row"]) == (folder / "whole.jsonl").read_text().splitlines()


def test_progress_for_machines(folder, invoke, monkeypatch):
    monkeypatch.setattr("levcert.runs.progress_lines._SECONDS_BETWEEN", 0.0)
    make_rows(folder / "rows.csv", 50)
    result = invoke(*CERTIFY, "-o", "out.csv", "--progress", "json")
    lines = [json.loads(line) for line in result.stderr.splitlines()]
    assert (lines[-1]["rows"], lines[-1]["total"], lines[-1]["ended"]) == (50, 50, True)
    assert {"rows_per_second", "seconds", "seconds_left"} <= lines[0].keys()


def test_flags_that_do_not_fit_are_refused(folder, invoke):
    make_rows(folder / "rows.csv", 3)
    for flags, message in (
        (("-o", "out.parquet", "--safe-csv"), "--safe-csv is for a .csv file"),
        (("--resume",), "name with -o"),
        (("--delimiter", ";;"), "A delimiter is one character"),
        (("--shard", "3/2"), "such as 3/16"),
        (("--encoding", "klingon"), "There is no encoding 'klingon'"),
        (("--keep-columns", "none"), "There is no column 'none'"),
        (("-o", "rows.csv"), "is the input and the output"),
    ):
        result = invoke(*CERTIFY, *flags)
        assert result.exit_code == 2, result.output
        assert message in result.stderr
    assert "is for files" in invoke("certify", "toy.safetensors", "abc", "--keep-columns", "id").stderr
    assert sorted(path.name for path in Path().iterdir()) == ["rows.csv", "toy.safetensors"]
