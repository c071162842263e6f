"""The engine: the same bytes however a run was interrupted, nothing done twice, one writer, nothing mixed."""

import json

import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from levcert.errors import InputError
from levcert.runs import engine
from levcert.runs.chunk import MOST_CHARACTERS, Chunk, Taker
from levcert.runs.engine import Run, _better_size
from levcert.runs.manifest import manifest_path
from levcert.runs.part_file import PartFile, journal_path, part_path
from levcert.runs.workers import Plan
from tests.runs.sample_task import Lengths, Texts

TEXTS = ["a", "größer", "\ud83d", "😀", 'quote " and \\ud83d\\ude00', "=1+1", "two\nlines", "x" * 50, "last"]
IDENTITY = {"levcert": "1", "command": "length", "model": {"sha256": "m"}, "options": {"k": 1}, "inputs": []}
ENDINGS = [".csv", ".jsonl", ".parquet"]


def texts_for(ending):
    return [text for text in TEXTS if ending != ".parquet" or text != "\ud83d"]  # which parquet cannot store


def write(folder, ending, texts=None, *, resume=False, identity=IDENTITY, said=None, plan=None, **options):
    source = Texts(texts_for(ending) if texts is None else texts, **options.pop("source", {}))
    say = (said if said is not None else []).append
    run = Run(Lengths(ending, **options), source, plan or Plan(), say)
    return run.write(folder / f"rows{ending}", identity, resume=resume)


def whole(folder, ending, texts=None):
    (folder / "whole").mkdir(exist_ok=True)
    write(folder / "whole", ending, texts)
    return (folder / "whole" / f"rows{ending}").read_bytes()


def interrupt(folder, ending, stop_at):
    """Interrupt a run, in chunks of one row, when it comes to a text."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(engine, "_MOST_ROWS", 1)
        with pytest.raises(KeyboardInterrupt):
            write(folder, ending, stop_at=stop_at, rows_at_first=1)


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_run_leaves_its_output_and_its_manifest(ending, tmp_path):
    outcome = write(tmp_path, ending)
    texts = texts_for(ending)
    assert (outcome.rows, outcome.summary["characters"]) == (len(texts), sum(map(len, texts)))
    assert sorted(path.name for path in tmp_path.iterdir()) == [f"rows{ending}", f"rows{ending}.manifest"]
    manifest = json.loads(manifest_path(tmp_path / f"rows{ending}").read_bytes())
    assert manifest["identity"] == IDENTITY
    assert manifest["rows"] == len(texts)
    if ending == ".parquet":
        assert pq.read_table(tmp_path / "rows.parquet").column("text").to_pylist() == texts


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_resumed_run_gives_the_bytes_of_a_whole_one_and_answers_nothing_twice(ending, tmp_path):
    texts = texts_for(ending)
    for number in range(1, len(texts)):
        folder = tmp_path / str(number)
        folder.mkdir()
        interrupt(folder, ending, texts[number])
        assert not (folder / f"rows{ending}").exists()
        answered = []
        outcome = write(folder, ending, resume=True, answered=answered)
        assert answered == texts[number:]
        assert (outcome.rows, outcome.summary["characters"]) == (len(texts), sum(map(len, texts)))
        assert (folder / f"rows{ending}").read_bytes() == whole(tmp_path, ending)


@given(st.data())
@settings(max_examples=40, deadline=None)
def test_a_kill_at_any_byte_loses_no_row_that_was_safe(tmp_path_factory, data):
    """Power is lost after any number of bytes of the chunk that is being written, or of its line in the journal."""
    folder = tmp_path_factory.mktemp("kill")
    ending = data.draw(st.sampled_from(ENDINGS))
    texts = texts_for(ending)
    interrupt(folder, ending, texts[4])
    output = folder / f"rows{ending}"
    journal = journal_path(output).read_bytes().splitlines(keepends=True)
    rows = [json.loads(line.partition(b" ")[2]).get("rows", 0) for line in journal]
    size = sum(json.loads(line.partition(b" ")[2]).get("bytes", 0) for line in journal[:-1])
    if data.draw(st.booleans()):  # while the journal is written: the bytes of the chunk are there
        cut = data.draw(st.integers(0, len(journal[-1]) - 1))
        journal_path(output).write_bytes(b"".join(journal[:-1]) + journal[-1][:cut])
    else:  # while the chunk is written
        journal_path(output).write_bytes(b"".join(journal[:-1]))
        part = part_path(output).read_bytes()
        part_path(output).write_bytes(part[: data.draw(st.integers(size, len(part)))])
    answered = []
    write(folder, ending, resume=True, answered=answered)
    assert answered == texts[sum(rows[:-1]) :]
    assert output.read_bytes() == whole(folder, ending)


@pytest.mark.parametrize("call", range(1, 6))
def test_ctrl_c_in_the_middle_of_a_write_loses_nothing(call, tmp_path, monkeypatch):
    """The interruption comes when the bytes are written, but before the function that writes them returns."""
    import os

    calls, really = [], os.fsync

    def interrupted(handle):
        really(handle)
        calls.append(handle)
        if len(calls) == call:
            raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write(tmp_path, ".csv")
    monkeypatch.undo()
    safe = call >= 4  # the first line of the journal, the folder, the rows, and their line in the journal
    assert part_path(tmp_path / "rows.csv").exists() == safe
    answered = []
    write(tmp_path, ".csv", resume=safe, answered=answered)
    assert answered == TEXTS[3 * safe :]
    assert (tmp_path / "rows.csv").read_bytes() == whole(tmp_path, ".csv")


def test_a_part_that_was_edited_is_noticed(tmp_path):
    interrupt(tmp_path, ".jsonl", "last")
    part = part_path(tmp_path / "rows.jsonl")
    content = part.read_bytes()
    part.write_bytes(content.replace(b'"length": 6', b'"length": 7'))
    with pytest.raises(InputError, match=r"Rows 2 to 2 of .*rows.jsonl.part are not as they were written"):
        write(tmp_path, ".jsonl", resume=True)
    part.write_bytes(content[:-9])
    with pytest.raises(InputError, match="are not as they were written"):
        write(tmp_path, ".jsonl", resume=True)
    part.write_bytes(content)
    write(tmp_path, ".jsonl", resume=True)
    assert (tmp_path / "rows.jsonl").read_bytes() == whole(tmp_path, ".jsonl")


def test_a_journal_that_was_edited_is_noticed(tmp_path):
    interrupt(tmp_path, ".jsonl", "last")
    journal = journal_path(tmp_path / "rows.jsonl")
    lines = journal.read_bytes().splitlines(keepends=True)
    for edited in ([*lines[:2], *lines[3:]], [lines[0], lines[1].replace(b'"rows": 1', b'"rows": 2'), *lines[2:]]):
        journal.write_bytes(b"".join(edited))
        with pytest.raises(InputError, match=r"Line \d of .*rows.jsonl.journal is not as it was written"):
            write(tmp_path, ".jsonl", resume=True)
        assert part_path(tmp_path / "rows.jsonl").stat().st_size  # and nothing was removed


def test_there_is_one_writer(tmp_path):
    with PartFile.opened(tmp_path / "rows.csv"), pytest.raises(InputError, match="Another run is writing"):
        write(tmp_path, ".csv")
    write(tmp_path, ".csv")


@pytest.mark.parametrize("name", ["rows.csv.part", "rows.csv.journal"])
def test_a_link_in_place_of_a_part_is_not_followed(name, tmp_path):
    precious = tmp_path / "precious"
    precious.write_text("precious")
    (tmp_path / name).symlink_to(precious)
    with pytest.raises(InputError, match=f"{name} is a symbolic link"):
        write(tmp_path, ".csv")
    assert precious.read_text() == "precious"


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("resume", [False, True])
def test_a_complete_output_is_recognised(ending, resume, tmp_path):
    write(tmp_path, ending)
    before = (tmp_path / f"rows{ending}").stat().st_mtime_ns
    answered = []
    outcome = write(tmp_path, ending, resume=resume, answered=answered)
    assert outcome.found
    assert outcome.rows == len(texts_for(ending))
    assert answered == []
    assert (tmp_path / f"rows{ending}").stat().st_mtime_ns == before
    assert len(list(tmp_path.iterdir())) == 2


def test_an_output_that_was_changed_since_is_computed_again(tmp_path):
    write(tmp_path, ".csv")
    content = (tmp_path / "rows.csv").read_bytes()
    (tmp_path / "rows.csv").write_bytes(content + b"more\r\n")
    assert not write(tmp_path, ".csv").found
    assert (tmp_path / "rows.csv").read_bytes() == content


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"levcert": "2"}, "the version of levcert was 1 and is now 2"),
        ({"command": "other"}, "the command was length and is now other"),
        ({"model": {"sha256": "n"}}, "the model is another one"),
        ({"options": {"k": 2}}, "the option k was 1 and is now 2"),
        ({"options": {"k": 1, "m": 3}}, "the option m was not given and is now 3"),
        ({"inputs": [{"file": "b"}]}, "there were 0 inputs and there are now 1"),
    ],
)
def test_a_run_is_not_continued_with_anything_else(change, reason, tmp_path):
    interrupt(tmp_path, ".csv", "last")
    with pytest.raises(InputError, match=reason):
        write(tmp_path, ".csv", resume=True, identity=IDENTITY | change)
    write(tmp_path, ".csv", resume=True)
    with pytest.raises(InputError, match=f"{reason}; it is complete; leave out --resume to replace it"):
        write(tmp_path, ".csv", resume=True, identity=IDENTITY | change)
    assert not write(tmp_path, ".csv", identity=IDENTITY | change).found


def test_a_changed_file_is_named(tmp_path):
    before, now = ({"inputs": [{"file": "a.csv", "sha256": sha}]} for sha in "12")
    with pytest.raises(KeyboardInterrupt):
        write(tmp_path, ".csv", identity=IDENTITY | before, stop_at="last", rows_at_first=1)
    with pytest.raises(
        InputError, match=r"the input a.csv has changed since; .* delete .*journal and .*part and start"
    ):
        write(tmp_path, ".csv", identity=IDENTITY | now, resume=True)


def test_an_interrupted_run_is_not_overwritten(tmp_path):
    interrupt(tmp_path, ".csv", "last")
    with pytest.raises(InputError, match="holds 8 rows of an interrupted run; add --resume, or delete"):
        write(tmp_path, ".csv")


def test_rows_of_a_pipe_must_be_the_same_again(tmp_path):
    pipe = IDENTITY | {"inputs": None}
    with pytest.raises(KeyboardInterrupt):
        write(tmp_path, ".csv", identity=pipe, stop_at="last", rows_at_first=1)
    for other in (["a", "b", *TEXTS[2:]], TEXTS[:3]):
        with pytest.raises(InputError, match="The input differs from that of the interrupted run in rows"):
            write(tmp_path, ".csv", other, identity=pipe, resume=True)
    write(tmp_path, ".csv", identity=pipe, resume=True)
    assert (tmp_path / "rows.csv").read_bytes() == whole(tmp_path, ".csv")


def test_nothing_to_resume_is_said(tmp_path):
    said = []
    write(tmp_path, ".csv", resume=True, said=said)
    assert "there is no interrupted run" in said[0]


def test_rows_before_a_bad_one_are_kept(tmp_path):
    with pytest.raises(InputError, match=r"^line 10 is bad\. 9 rows are in .*rows.csv.part; run the same command with"):
        write(tmp_path, ".csv", source={"bad_after": "line 10 is bad."})
    with pytest.raises(InputError, match=r"^line 1 is bad\.$"):
        write(tmp_path, ".jsonl", [], source={"bad_after": "line 1 is bad."})
    assert not list(tmp_path.glob("rows.jsonl*"))


def test_a_run_without_rows_gives_a_file_without_rows(tmp_path):
    for ending in ENDINGS:
        assert write(tmp_path, ending, []).rows == 0
    assert (tmp_path / "rows.csv").read_bytes() == b"row,text,length\r\n"
    assert (tmp_path / "rows.jsonl").read_bytes() == b""
    assert pq.read_table(tmp_path / "rows.parquet").num_rows == 0


def test_a_full_disk_keeps_the_rows(tmp_path, monkeypatch):
    from levcert.runs import part_file

    written, really = [], part_file._write

    def full(file, data):
        written.append(data)
        if len(written) == 6:
            file.write(data[: len(data) // 2])
            raise OSError(28, "No space left on device")
        really(file, data)

    monkeypatch.setattr(part_file, "_write", full)
    with pytest.raises(InputError, match=r"Cannot write .*part: No space left on device. \d rows are in .* --resume"):
        write(tmp_path, ".csv", rows_at_first=1)
    monkeypatch.undo()
    write(tmp_path, ".csv", resume=True)
    assert (tmp_path / "rows.csv").read_bytes() == whole(tmp_path, ".csv")


def test_each_chunk_is_on_the_disk_before_the_next(tmp_path, monkeypatch):
    import os

    synced, really = [], os.fsync
    monkeypatch.setattr(os, "fsync", lambda handle: (synced.append(handle), really(handle)))
    interrupt(tmp_path, ".csv", TEXTS[2])
    assert len(synced) >= 1 + 1 + 2 * 2  # the journal's first line, the folder, and twice for each of two chunks


@pytest.mark.parametrize("ending", ENDINGS)
def test_two_processes_give_the_bytes_of_one_and_a_dead_worker_is_replaced(ending, tmp_path):
    texts = [*texts_for(ending) * 20, "die", *texts_for(ending) * 20]
    expected = whole(tmp_path, ending, texts)
    write(tmp_path, ending, texts, plan=Plan(2), deaths=tmp_path)
    assert (tmp_path / "dead").exists()
    assert (tmp_path / f"rows{ending}").read_bytes() == expected


def test_rows_that_kill_every_worker_are_an_error_and_those_before_are_kept(tmp_path):
    texts = [*"abcdef", "die", *"ghi"]
    with pytest.raises(InputError, match=r"A worker died 3 times over the same rows; .* 6 rows are in"):
        write(tmp_path, ".csv", texts, plan=Plan(2), deaths=tmp_path / "always", rows_at_first=1)


def test_chunks_have_the_size_that_half_a_second_allows():
    assert _better_size(8, 8, 0.01) == 16
    assert _better_size(8192, 8192, 0.01) == 8192
    assert _better_size(64, 64, 1.0) == 32
    assert _better_size(64, 64, 100.0) == 16
    assert _better_size(1, 1, 100.0) == 1


def test_chunks_of_long_texts_have_few_rows():
    long = "x" * (MOST_CHARACTERS // 2)
    chunks = [Chunk(["f"] * 5, [1, 2, 3, 4, 5], [long] * 5)]
    taker = Taker(iter(chunks), live=False)
    sizes = []
    while (chunk := taker.take(100)) is not None:
        sizes.append(len(chunk))
    assert sizes == [2, 2, 1]


def test_a_live_source_is_answered_as_it_comes():
    chunks = [Chunk(["f"], [row], [str(row)]) for row in range(1, 4)]
    taker = Taker(iter(chunks), live=True)
    assert [len(taker.take(100)) for _ in range(3)] == [1, 1, 1]
    assert taker.take(100) is None
