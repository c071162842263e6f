"""Row files: nothing that was written is lost, whatever a kill leaves behind."""

from math import inf

import pytest

from levcert.benchmark.result_rows import Row, append_row, read_rows, row_of
from levcert.errors import InputError
from tests.benchmark.tiny_study import made_up_rows, tiny_study


def test_a_row_comes_back_as_it_was(tmp_path):
    row = Row("tiny", {"p": inf, "seed": 1}, [{"name": "clean"}], {"clean": 81.5}, {"count": 3}, seconds=1.5)
    append_row(tmp_path / "new" / "tiny.jsonl", row)
    assert read_rows(tmp_path / "new" / "tiny.jsonl") == [row]


def test_a_write_cut_off_at_any_byte_loses_only_its_own_row(tmp_path):
    path = tmp_path / "tiny.jsonl"
    first, second, third = made_up_rows(tiny_study(), [{"clean": 1.0}, {"clean": 2.0}, {"clean": 3.0}])
    append_row(path, first)
    whole = path.read_bytes()
    append_row(path, second)
    both = path.read_bytes()
    for length in range(len(whole), len(both)):
        path.write_bytes(both[:length])
        kept = [first, second] if length == len(both) - 1 else [first]  # only the line break is missing
        assert read_rows(path) == kept
        append_row(path, third)
        assert read_rows(path) == [*kept, third]


def test_the_last_row_of_a_cell_counts_and_only_as_it_is_declared(tmp_path):
    study = tiny_study()
    old, new = (made_up_rows(study, [{"clean": value}])[0] for value in (1.0, 2.0))
    assert row_of(study.cells[0], [old, new]) == new
    assert row_of(study.cells[1], [old, new]) is None
    measures = study.declaration["measures"] | {"clean": {"kind": "accuracy", "texts": 3}}
    assert row_of(tiny_study(measures=measures).cells[0], [old, new]) is None


def test_a_line_that_is_no_row_is_refused(tmp_path):
    path = tmp_path / "tiny.jsonl"
    path.write_text('{"something": "else"}\n')
    with pytest.raises(InputError, match="line 1, is not a row of results"):
        read_rows(path)
