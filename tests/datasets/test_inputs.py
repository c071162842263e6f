"""Inputs as people have them: encodings, delimiters, formats, folders, patterns, shards; the same rows from each."""

import codecs
import gzip
import io
import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from levcert import InputError, RowReader
from levcert.datasets.input_files import Shard, input_files
from levcert.datasets.sources import FileSource, LineSource
from levcert.datasets.text_files import guess_encoding

ROWS = [("Käse und Brot", "1"), ("déjà vu", "0"), ("naïve", "1")]
HEADER = "text,label"


def as_csv(delimiter=","):
    lines = [HEADER.replace(",", delimiter), *(f"{text}{delimiter}{label}" for text, label in ROWS)]
    return "\n".join(lines) + "\n"


def read(path, **options):
    return [(row.text, row.label) for row in RowReader(path, **options)]


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "cp1252", "latin-1", "utf-32"]
)
@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_encoding_and_delimiter_are_guessed(encoding, delimiter, tmp_path):
    path = tmp_path / "rows.csv"
    path.write_bytes(as_csv(delimiter).encode(encoding))
    assert read(path) == ROWS
    assert read(path, encoding="utf-8-sig" if encoding == "utf-8" else encoding, delimiter=delimiter) == ROWS
    said = " ".join(RowReader(path).guesses())
    assert ("separated" in said) == (delimiter != ",")
    assert ("encoding" in said) == (encoding not in ("utf-8", "utf-8-sig"))


def test_a_mistake_in_utf_8_is_not_another_encoding(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_bytes(as_csv().encode() + b"caf\xe9,1\n")
    with pytest.raises(InputError, match="line 5: bad encoding, the text is not UTF-8"):
        read(path)
    assert read(path, on_bad_row="skip") == ROWS
    assert read(path, encoding="cp1252")[-1] == ("café", "1")


@given(st.text(min_size=1, max_size=60))
def test_utf_8_is_always_recognised(text):
    data = text.encode("utf-8", "ignore")
    if not data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) and b"\0" not in data:
        assert guess_encoding(data) == "utf-8-sig"


@pytest.mark.parametrize(
    ("encoding", "message"), [("klingon", "There is no encoding 'klingon'"), ("utf-16", "not utf-16")]
)
def test_a_wrong_encoding_is_an_error(encoding, message, tmp_path):
    path = tmp_path / "rows.csv"
    path.write_bytes(as_csv().encode() + b"x")
    with pytest.raises(InputError, match=message):
        read(path, encoding=encoding)


def zstd(data):
    sink = pa.BufferOutputStream()
    with pa.CompressedOutputStream(sink, "zstd") as stream:
        stream.write(data)
    return sink.getvalue().to_pybytes()


@pytest.mark.parametrize("packed", ["", ".gz", ".zst"])
@pytest.mark.parametrize("kind", ["csv", "tsv", "jsonl", "json", "txt"])
def test_every_format_and_compression_gives_the_same_rows(kind, packed, tmp_path):
    objects = [{"text": text, "label": int(label)} for text, label in ROWS]
    content = {
        "csv": as_csv(),
        "tsv": as_csv("\t"),
        "jsonl": "".join(json.dumps(row) + "\n" for row in objects),
        "json": json.dumps(objects, indent=2),
        "txt": "".join(f"{text}\r\n" for text, _ in ROWS),
    }[kind].encode()
    path = tmp_path / f"rows.{kind}{packed}"
    path.write_bytes({"": bytes, ".gz": gzip.compress, ".zst": zstd}[packed](content))
    label = None if kind == "txt" else "label"
    rows = [(text, None if kind == "txt" else number) for text, number in ROWS]
    assert read(path, label_column=label) == rows
    if packed:
        path.write_bytes(path.read_bytes()[:-9])
        with pytest.raises(InputError, match="damaged or truncated"):
            read(path, label_column=label)


def test_json_of_any_shape_is_read_in_pieces(tmp_path, monkeypatch):
    from levcert.datasets import row_blocks

    path = tmp_path / "rows.json"
    objects = [{"text": "x" * size, "label": size} for size in range(1, 60)]
    for content in (json.dumps(objects), "\n".join(map(json.dumps, objects)), json.dumps(objects, indent=1)):
        path.write_text(content)
        for size in (1, 7, 100, 1 << 20):
            monkeypatch.setattr(row_blocks, "_CHARACTERS", size)
            assert [len(row.text) for row in RowReader(path)] == list(range(1, 60))
    path.write_text('[{"text": "a", "label": 1}, {"text": ')
    with pytest.raises(InputError, match="line 1: not valid JSON"):
        read(path)


def test_excel(tmp_path):
    pytest.importorskip("python_calamine")
    import zipfile

    def cell(value):
        return f'<c t="inlineStr"><is><t>{value}</t></is></c>' if isinstance(value, str) else f"<c><v>{value}</v></c>"

    rows = [("text", "label"), *((text, int(label)) for text, label in ROWS)]
    sheet = "".join(f"<row>{''.join(map(cell, row))}</row>" for row in rows)
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    relations = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    package = "http://schemas.openxmlformats.org/package/2006"
    path = tmp_path / "rows.xlsx"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("[Content_Types].xml", f'<Types xmlns="{package}/content-types"/>')
        archive.writestr(
            "_rels/.rels",
            f'<Relationships xmlns="{package}/relationships"><Relationship Id="r1" Type="{relations}/officeDocument" '
            'Target="xl/workbook.xml"/></Relationships>',
        )
        archive.writestr(
            "xl/workbook.xml",
            f'<workbook xmlns="{main}" xmlns:r="{relations}"><sheets><sheet name="S" sheetId="1" r:id="r1"/></sheets>'
            "</workbook>",
        )
        archive.writestr(
            "xl/_rels/workbook.xml.rels",
            f'<Relationships xmlns="{package}/relationships"><Relationship Id="r1" Type="{relations}/worksheet" '
            'Target="worksheets/sheet1.xml"/></Relationships>',
        )
        archive.writestr(
            "xl/worksheets/sheet1.xml", f'<worksheet xmlns="{main}"><sheetData>{sheet}</sheetData></worksheet>'
        )
    assert read(path) == ROWS


def test_a_line_is_not_in_memory_before_its_length_is_known(tmp_path, monkeypatch):
    monkeypatch.setattr("levcert.files.row_files.LONGEST_FIELD", 100)
    for name, lines in (
        ("rows.txt", "fine\n" + "x" * 5000 + "\nfine\n"),
        ("rows.tsv", "text\nfine\n" + "x" * 999 + "\nfine\n"),
    ):
        (tmp_path / name).write_text(lines)
        reader = RowReader(tmp_path / name, label_column=None, on_bad_row="skip")
        assert [row.text for row in reader] == ["fine", "fine"]
        assert reader.skipped == {"not a valid row (longer than 100 characters)": 1}
    with pytest.raises(InputError, match="stdin: line 2 is too long"):
        list(LineSource(io.BytesIO(b"fine\n" + b"x" * 5000)).chunks())


def test_row_numbers_count_bad_rows_and_kept_columns_come_along(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text('id,text,more\n7,a,"x\ny"\n8,,z\n\n9,c,w\n')
    [chunk] = FileSource([path], on_bad_row="skip", keep=("id", "more")).chunks()
    assert (chunk.rows, chunk.texts) == ([1, 3], ["a", "c"])
    assert chunk.kept == {"id": ["7", "9"], "more": ["x\ny", "w"]}
    assert FileSource([path], keep="all").keep == ("id", "more")
    with pytest.raises(InputError, match="no column 'none'"):
        list(FileSource([path], keep=("none",)).chunks())


def test_folders_and_patterns_are_files_in_order(tmp_path):
    names = ["b.csv", "a.jsonl", "sub/c.txt", "sub/deep/d.csv.gz", ".hidden.csv", "_SUCCESS", "notes.md", "out.csv"]
    for name in names:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    found = [str(path.relative_to(tmp_path)) for path in input_files([tmp_path], tmp_path / "out.csv")]
    assert found == ["a.jsonl", "b.csv", "sub/c.txt", "sub/deep/d.csv.gz"]
    assert [path.name for path in input_files([tmp_path / "*.csv"])] == ["b.csv", "out.csv"]
    assert [path.name for path in input_files([tmp_path / "b.csv", tmp_path / "sub"])] == ["b.csv", "c.txt", "d.csv.gz"]
    with pytest.raises(InputError, match="is given twice"):
        input_files([tmp_path / "b.csv", tmp_path])
    with pytest.raises(InputError, match="No file matches"):
        input_files([tmp_path / "*.xml"])
    with pytest.raises(InputError, match="is the input and the output"):
        input_files([tmp_path / "b.csv"], tmp_path / "b.csv")


@pytest.mark.parametrize("count", [1, 2, 3, 4, 7])
def test_shards_cover_every_row_once(count, tmp_path):
    files = []
    for number in range(3):
        path = tmp_path / f"{number}.txt"
        path.write_text("".join(f"{number}-{row}\n" for row in range(5 * number + 1)))
        files.append(path)

    def texts(shard):
        return [text for chunk in FileSource(files, shard=shard).chunks() for text in chunk.texts]

    shards = [texts(Shard(number, count)) for number in range(1, count + 1)]
    assert sorted(text for shard in shards for text in shard) == sorted(texts(None))
    if count <= 3:
        assert all(
            len({text[0] for text in shard}) == (3 if count == 1 else len(files[number::count]))
            for number, shard in enumerate(shards)
        )


@pytest.mark.parametrize("text", ["0/3", "4/3", "3", "a/b", "1/0", "-1/2"])
def test_other_shards_are_refused(text):
    with pytest.raises(InputError, match="such as 3/16"):
        Shard.of(text)


def test_the_number_of_rows_is_estimated_from_the_bytes_read(tmp_path):
    path = tmp_path / "rows.txt"
    path.write_text("a text of some length\n" * 20_000)
    source = FileSource([path])
    chunks = source.chunks()
    assert source.expected(0) is None
    first = next(chunks)
    assert source.expected(len(first)) == pytest.approx(20_000, rel=0.1)
    total = len(first) + sum(map(len, chunks))
    assert source.expected(total) == total == 20_000
    limited = FileSource([path], limit=30)
    assert sum(map(len, limited.chunks())) == 30 == limited.expected(30)


def test_parquet_of_bytes_and_of_texts(tmp_path):
    pq.write_table(pa.table({"text": [b"\xff", b"a"]}), tmp_path / "rows.parquet")
    [chunk] = FileSource([tmp_path / "rows.parquet"]).chunks()
    assert chunk.texts == [b"\xff", b"a"]
