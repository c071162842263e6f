import contextlib
import gzip
import json
import tracemalloc

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from levcert import InputError, RowReader

ROWS = [("good film", "1"), ("two\nlines, and a comma", "0"), ('"quoted" é', "1")]


def write(path, rows=ROWS):
    """Write rows in the format of the file's ending."""
    ending = "".join(path.suffixes)
    if ending == ".parquet":
        pq.write_table(pa.table({"text": [t for t, _ in rows], "label": [int(x) for _, x in rows]}), path)
        return path
    if ".csv" in ending:
        quoted = [(text.replace('"', '""'), label) for text, label in rows]
        content = "text,label\n" + "".join(f'"{text}",{label}\n' for text, label in quoted)
    elif ".tsv" in ending:
        content = "label\ttext\n" + "".join(f"{label}\t{text}\n" for text, label in rows)
    else:
        content = "".join(json.dumps({"text": text, "label": int(label)}) + "\n" for text, label in rows)
    data = content.encode()
    path.write_bytes(gzip.compress(data) if ending.endswith(".gz") else data)
    return path


@pytest.mark.parametrize("ending", ["csv", "csv.gz", "tsv", "tsv.gz", "jsonl", "jsonl.gz", "parquet"])
def test_every_format_gives_the_same_rows(tmp_path, ending):
    rows = [row for row in ROWS if "\n" not in row[0]] if "tsv" in ending else ROWS
    path = write(tmp_path / f"rows.{ending}", rows)
    assert [(row.text, row.label) for row in RowReader(path)] == rows


def test_lines_are_those_of_the_file(tmp_path):
    assert [row.line for row in RowReader(write(tmp_path / "rows.csv"))] == [2, 3, 5]
    assert [row.line for row in RowReader(write(tmp_path / "rows.jsonl"))] == [1, 2, 3]
    assert [row.line for row in RowReader(write(tmp_path / "rows.parquet"))] == [1, 2, 3]


def test_columns_are_chosen_and_labels_may_be_absent(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("id,body,class\n7,hello,spam\n")
    assert [(r.text, r.label) for r in RowReader(path, "body", "class")] == [("hello", "spam")]
    assert [(r.text, r.label) for r in RowReader(path, "body", None)] == [("hello", None)]
    with pytest.raises(InputError, match=r"no column 'text'; the columns are 'id', 'body', 'class'"):
        list(RowReader(path))


def test_a_byte_order_mark_and_windows_line_ends_are_no_part_of_the_rows(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_bytes(b"\xef\xbb\xbftext,label\r\nhello,1\r\n\r\nworld,0\r\n")
    assert [(r.text, r.label, r.line) for r in RowReader(path)] == [("hello", "1", 2), ("world", "0", 4)]


BAD_ROWS = [
    ("rows.csv", b"text,label\nfine,1\n,1\n", 3, "missing text"),
    ("rows.csv", b"text,label\nfine,1\nhello,\n", 3, "missing label"),
    ("rows.csv", b"text,label\nfine,1\na,b,c\n", 3, "3 columns instead of 2"),
    ("rows.csv", b"text,label\nfine,1\nlonely\n", 3, "1 columns instead of 2"),
    ("rows.csv", b"text,label\nfine,1\n\xff\xfe,1\n", 3, "text is not UTF-8"),
    ("rows.csv", b"text,label\nfine,1\nhello,\xff\n", 3, "label is not UTF-8"),
    ("rows.csv", b'text,label\nfine,1\n"open quote,1\n', 3, "not a valid row"),
    ("rows.tsv", b"text\tlabel\nfine\t1\nhello\n", 3, "1 columns"),
    ("rows.jsonl", b'{"text": "fine", "label": 1}\n{"text": "a"\n', 2, "not valid JSON"),
    ("rows.jsonl", b'{"text": "fine", "label": 1}\n[1, 2]\n', 2, "not a JSON object"),
    ("rows.jsonl", b'{"text": "fine", "label": 1}\n{"text": "a"}\n', 2, "no field 'label'"),
    ("rows.jsonl", b'{"text": "fine", "label": 1}\n{"text": null, "label": 1}\n', 2, "missing text"),
    ("rows.jsonl", b'{"text": "fine", "label": 1}\n{"text": 7, "label": 1}\n', 2, "text is not a string"),
    (
        "rows.jsonl",
        b'{"text": "fine", "label": 1}\n{"text": "a", "label": 0.5}\n',
        2,
        "neither a string nor an integer",
    ),
    (
        "rows.jsonl",
        b'{"text": "fine", "label": 1}\n{"text": "a", "label": true}\n',
        2,
        "neither a string nor an integer",
    ),
    ("rows.jsonl", b'{"text": "fine", "label": 1}\n{"text": "\xff", "label": 1}\n', 2, "not UTF-8"),
    ("rows.jsonl", b'{"text": "fine", "label": 1}\n' + b"[" * 100_000 + b"\n", 2, "not valid JSON"),
]


@pytest.mark.parametrize(("name", "content", "line", "defect"), BAD_ROWS)
def test_bad_rows_are_named_by_line_or_counted(tmp_path, name, content, line, defect):
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(InputError, match=rf"{name}: line {line}: .*{defect}"):
        list(RowReader(path, encoding="utf-8"))
    reader = RowReader(path, on_bad_row="skip", encoding="utf-8")
    assert [row.text for row in reader] == ["fine"]
    assert sum(reader.skipped.values()) == 1
    assert defect in next(iter(reader.skipped))


def test_nulls_in_parquet_are_bad_rows(tmp_path):
    path = tmp_path / "rows.parquet"
    pq.write_table(pa.table({"text": ["a", None, "c"], "label": [1, 0, None]}), path)
    reader = RowReader(path, on_bad_row="skip")
    assert [row.text for row in reader] == ["a"]
    assert reader.skipped == {"missing text": 1, "missing label": 1}


def test_a_very_long_field_is_an_unclosed_quote(tmp_path, monkeypatch):
    monkeypatch.setattr("levcert.files.row_files.LONGEST_FIELD", 1000)
    path = tmp_path / "rows.csv"
    path.write_text("text,label\n" + '"' + "x\n" * 2000 + '",1\n')
    with pytest.raises(InputError, match="field larger than field limit"):
        list(RowReader(path))
    path.write_text("text,label\n" + '"' + "x" * 2000 + '",1\n')
    with pytest.raises(InputError, match="A line is longer than 1,000 characters"):
        list(RowReader(path))


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("rows.xml", b"", "must end in .csv"),
        ("rows", b"", "must end in .csv"),
        ("rows.parquet", b"junk", "not a complete parquet file"),
        ("rows.csv.gz", b"junk", "damaged or truncated"),
        ("rows.csv.gz", gzip.compress(b"text,label\n" + b"a,1\n" * 10_000, mtime=0)[:-20], "damaged or truncated"),
        ("rows.csv", b"", "the columns are none"),
        ("rows.csv", b'text,"label"x\na,b\n', "does not name the columns"),
        ("rows.csv", b"text,text,label\na,b,c\n", "2 columns named 'text'"),
    ],
)
def test_files_that_cannot_be_read(tmp_path, name, content, message):
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(InputError, match=message):
        list(RowReader(path))


@given(st.binary(max_size=200), st.sampled_from(["csv", "tsv", "jsonl", "parquet", "csv.gz"]))
@settings(max_examples=200)
def test_junk_is_refused_or_skipped_but_never_crashes(tmp_path_factory, content, ending):
    path = tmp_path_factory.mktemp("junk") / f"rows.{ending}"
    path.write_bytes((b"text,label\n" if "csv" in ending else b"") + content)
    with contextlib.suppress(InputError):
        list(RowReader(path, on_bad_row="skip"))


def test_a_large_file_is_not_held_in_memory(tmp_path):
    path = tmp_path / "rows.csv.gz"
    with gzip.open(path, "wt", compresslevel=1) as file:
        file.write("text,label\n")
        for _ in range(4000):
            file.write("x" * 10_000 + ",1\n")
    tracemalloc.start()
    count = sum(1 for _ in RowReader(path))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert count == 4000
    assert peak < 4_000_000  # of 40 MB


def test_only_two_things_can_be_done_with_bad_rows(tmp_path):
    with pytest.raises(InputError, match="error or skip"):
        RowReader(tmp_path / "rows.csv", on_bad_row="mend")
