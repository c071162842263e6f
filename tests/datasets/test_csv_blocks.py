"""csv that is parsed many rows at once gives what a slow, obvious reader gives: rows, lines, defects."""

import csv
import io
from unittest import mock

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from levcert.datasets import row_blocks, text_files
from levcert.datasets.text_files import TextFile
from levcert.errors import InputError


def slowly(content):
    """Each row of csv.reader with the number of its first line."""
    reader = csv.reader(io.StringIO(content, newline="\n"), strict=True)
    header, found = next(reader), []
    while True:
        line = reader.line_num + 1
        try:
            cells = next(reader)
        except StopIteration:
            return found
        except csv.Error as error:
            found.append((line, f"not a valid row ({error})"))
            continue
        if len(cells) == len(header):
            found.append((line, cells))
        elif cells:
            found.append((line, f"{len(cells)} columns instead of {len(header)}"))


def quickly(content, at_once):
    file = TextFile(io.TextIOWrapper(io.BytesIO(content.encode()), "utf-8", newline="\n"), "utf-8", False, lambda: 1.0)
    found, rows = [], []
    with mock.patch.object(text_files, "_AT_ONCE", at_once):
        for block in row_blocks.read_csv(file, list, ",", []):
            columns = list(block.columns.values())
            for index, line in enumerate(block.lines):
                cells = [column[index] for column in columns]
                found.append((line, block.defects.get(index, cells)))
            rows += block.rows
    assert rows == list(range(1, len(found) + 1))
    return found


@given(st.text('ab,"\n\r', max_size=60), st.integers(1, 20))
@example('1,2\n"a\n",b\n\n3\n"x"y,2\n4,5', 3)
@example('1,2\n"a', 2)
@settings(max_examples=300, deadline=None)
def test_many_rows_at_once_are_those_of_the_slow_reader(content, at_once):
    content = "x,y\n" + content
    assert quickly(content, at_once) == slowly(content)


@pytest.mark.parametrize("at_once", [3, 1000])
def test_a_line_that_is_too_long_is_an_error_before_it_is_in_memory(at_once):
    with mock.patch("levcert.files.row_files.LONGEST_FIELD", 10):
        assert quickly("x,y\n" + "a,bcdefgh\n" * 3, at_once) == [(line, ["a", "bcdefgh"]) for line in (2, 3, 4)]
        with pytest.raises(InputError, match="longer than 10 characters"):
            quickly("x,y\n1,2\na,bcdefghi\n3,4\n", at_once)
