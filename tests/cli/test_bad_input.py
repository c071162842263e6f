"""Bad input of every kind: one sentence with the cause and the cure, exit code 2, no file left behind."""

import json
from importlib.util import find_spec

import pytest

FILES = {
    "rows.csv": b"text,label\nabc,letters\n123,digits\n",
    "other.csv": b"text,label\nabc,vowels\n",
    "empty.csv": b"text,label\n",
    "nan.csv": b"text,label\nabc,letters\nabc,\n",
    "nan.jsonl": b'{"text": "abc", "label": NaN}\n',
    "latin.csv": b"text,label\ncaf\xe9,letters\n",
    "unclosed.csv": b'text,label\n"abc,letters\n',
    "no-header.csv": b"",
    "rows.xlsx": b"PK",
    "binary.safetensors": bytes(range(256)),
    "empty.safetensors": b"",
}

CASES = {
    "predict none.safetensors abc": "none.safetensors does not exist",
    "predict sub abc": "sub is a folder",
    "predict binary.safetensors abc": "binary.safetensors is not a complete safetensors file",
    "predict empty.safetensors abc": "empty.safetensors is not a complete safetensors file",
    "predict rows.csv abc": "rows.csv is not a complete safetensors file",
    "predict toy.safetensors ''": "text 1: missing text",
    "predict toy.safetensors abc -f rows.csv": "give one or the other",
    "predict toy.safetensors -f none.csv": "none.csv does not exist",
    "predict toy.safetensors -f sub.csv": "No file matches sub.csv",
    "predict toy.safetensors -f rows.xlsx": (
        "not a complete Excel workbook" if find_spec("python_calamine") else "install levcert[excel]"
    ),
    "predict toy.safetensors -f rows.csv --text-column body": "no column 'body'; the columns are 'text', 'label'",
    "predict toy.safetensors -f latin.csv --encoding utf-8": "line 2: bad encoding",
    "predict toy.safetensors -f unclosed.csv": "line 2: not a valid row",
    "predict toy.safetensors -f no-header.csv": "no column 'text'; the columns are none",
    "predict toy.safetensors -f rows.csv -o out.txt": "must end in .csv, .jsonl, .parquet",
    "predict toy.safetensors -f rows.csv -o none/out.csv": "its folder does not exist",
    "predict toy.safetensors -f rows.csv -o sub.csv": "it is a folder",
    "certify toy.safetensors abc --method magic": "There is no certifier 'magic'",
    "certify toy.safetensors -f rows.csv --method magic -o out.csv": "There is no certifier 'magic'",
    "certify toy.safetensors abc --max-distance -1": "at least 0",
    "certify toy.safetensors abc --budget 0": "positive number of seconds",
    "certify toy.safetensors abc --budget nan": "positive number of seconds",
    "certify toy.safetensors abc --operations swap": "An operation must be insert, delete or substitute, not 'swap'",
    "certify toy.safetensors abc --resume": "name with -o",
    "attack toy.safetensors abc --method magic": "There is no attack 'magic'",
    "attack toy.safetensors abc --max-distance 0": "max_distance must be an integer of at least 1",
    "evaluate toy.safetensors nothing": "There is no dataset 'nothing'",
    "evaluate toy.safetensors none.csv": "none.csv does not exist",
    "evaluate toy.safetensors rows.csv --label-column topic": "no column 'topic'",
    "evaluate toy.safetensors nan.csv": "line 3: missing label",
    "evaluate toy.safetensors nan.jsonl": "the label is neither a string nor an integer",
    "evaluate toy.safetensors other.csv": "the label 'vowels', but the model only knows 'digits', 'letters'",
    "evaluate toy.safetensors empty.csv": "no rows to evaluate on",
    "evaluate toy.safetensors rows.csv --attack magic": "There is no attack 'magic'",
    "train toy --weight-column trust": "--weight-column is for files",
    "train rows.csv --weight-column label": "line 2: the weight is not a number of at least 0",
    "info none.safetensors": "none.safetensors does not exist",
    "info binary.safetensors": "not a complete safetensors file",
    "datasets mnist": "There is no dataset 'mnist'",
    "train none.csv": "none.csv does not exist",
    "train rows.csv --label-column topic": "no column 'topic'",
}


@pytest.fixture
def junk(folder):
    for name, content in FILES.items():
        (folder / name).write_bytes(content)
    (folder / "sub").mkdir()
    (folder / "sub.csv").mkdir()
    return folder


@pytest.mark.parametrize("line", CASES)
def test_one_sentence_and_exit_code_2(line, junk, invoke):
    before = sorted(junk.iterdir())
    result = invoke(*[word.strip("'") for word in line.split()])
    assert result.exit_code == 2, result.output
    assert result.stderr.startswith("levcert: ")
    assert CASES[line] in result.stderr
    assert result.stderr.count("\n") == 1
    assert result.stderr.endswith(".\n")
    assert result.stdout == ""
    assert sorted(junk.iterdir()) == before


@pytest.mark.parametrize(
    ("stdin", "message"),
    [(b"abc\n\n", "stdin: line 2: missing text"), (b"abc\ncaf\xe9\n", "stdin: line 2: bad encoding")],
)
def test_a_bad_line_of_stdin_is_named_or_skipped(stdin, message, invoke):
    result = invoke("predict", "toy.safetensors", "--json", stdin=stdin)
    assert result.exit_code == 2
    assert message in result.stderr
    result = invoke("predict", "toy.safetensors", "--json", "--on-bad-row", "skip", stdin=stdin)
    assert result.exit_code == 0
    assert json.loads(result.stdout)["text"] == "abc"
    assert f"skipped 1 row: {message.split(': ')[2]}" in result.stderr


def test_bad_rows_of_a_file_are_skipped_on_request(invoke, folder):
    (folder / "rows.csv").write_bytes(b"text\nabc\ncaf\xe9\n123\n")
    result = invoke(
        "predict", "toy.safetensors", "-f", "rows.csv", "--on-bad-row", "skip", "-o", "out.csv", "--encoding", "utf-8"
    )
    assert result.exit_code == 0
    assert "skipped 1 row" in result.stderr
    assert (folder / "out.csv").read_text().count("\n") == 3


def test_a_bad_row_in_the_middle_leaves_an_older_output_alone(invoke, folder):
    (folder / "rows.csv").write_bytes(b"text\nabc\ncaf\xe9\n")
    (folder / "out.csv").write_text("precious")
    assert invoke("predict", "toy.safetensors", "-f", "rows.csv", "-o", "out.csv", "--encoding", "utf-8").exit_code == 2
    assert (folder / "out.csv").read_text() == "precious"


def test_bad_usage_is_exit_code_2(invoke):
    assert invoke("certify").exit_code == 2
    assert invoke("certify", "toy.safetensors", "abc", "--max-distance", "many").exit_code == 2
