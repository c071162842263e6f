"""Journals: nothing that was written is lost, whatever a kill leaves behind."""

import json
import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from levcert.runs import journal as module
from levcert.runs.journal import Journal

VALUES = st.dictionaries(st.text(max_size=3), st.integers() | st.text(max_size=20), max_size=3)


def objects(journal):
    return [found for _, found in journal.objects()]


def test_a_file_that_does_not_exist_has_no_lines(tmp_path):
    assert list(Journal(tmp_path / "none.jsonl").lines()) == []


@given(st.lists(VALUES, max_size=4), VALUES, st.data())
def test_a_write_cut_off_at_any_byte_loses_only_its_own_line(tmp_path_factory, before, last, data):
    journal = Journal(tmp_path_factory.mktemp("journal") / "rows.jsonl")
    for value in before:
        journal.append(json.dumps(value))
    kept = journal.path.stat().st_size if before else 0
    journal.append(json.dumps(last))
    whole = journal.path.read_bytes()
    length = data.draw(st.integers(kept, len(whole)))
    journal.path.write_bytes(whole[:length])
    there = [*before, last] if length >= len(whole) - 1 else before  # without its line break a line is still whole
    assert objects(journal) == there
    journal.append('{"new": 1}')
    assert objects(journal) == [*there, {"new": 1}]
    assert journal.path.read_bytes().count(b"\n") == len(there) + 1


def test_a_torn_line_that_version_0_1_closed_is_skipped(tmp_path):
    journal = Journal(tmp_path / "rows.jsonl")
    journal.path.write_bytes(b'{"a": 1}\n{"b":\n{"c": 3}\n\n17\n')
    assert list(journal.objects()) == [(1, {"a": 1}), (3, {"c": 3})]


def test_a_long_torn_line_is_cut_off(tmp_path):
    journal = Journal(tmp_path / "rows.jsonl")
    journal.append('{"a": 1}')
    with journal.path.open("ab") as file:
        file.write(b'{"text": "' + b"x" * 300_000)
    journal.append('{"b": 2}')
    assert objects(journal) == [{"a": 1}, {"b": 2}]


def test_a_line_is_written_before_the_next_and_synced_at_the_end(tmp_path, monkeypatch):
    synced = []
    monkeypatch.setattr(os, "fsync", synced.append)
    journal = Journal(tmp_path / "new" / "rows.jsonl")
    with journal.appending() as append:
        for number in range(3):
            append(json.dumps({"n": number}))
            assert len(list(journal.lines())) == number + 1
        assert synced == []  # quick lines do not wait for the disk one by one
    assert len(synced) == 1
    monkeypatch.setattr(module, "_SECONDS_BETWEEN_SYNCS", 0.0)
    with journal.appending() as append:
        append("{}")
        assert len(synced) == 2


def test_an_interruption_keeps_what_was_written(tmp_path):
    journal = Journal(tmp_path / "rows.jsonl")

    def interrupted():
        with journal.appending() as append:
            append('{"a": 1}')
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert objects(journal) == [{"a": 1}]
