"""Outputs of long runs: each row is serialised once and parsed at most once, and resuming gives the same file."""

import json

import pytest

from levcert.errors import InputError
from levcert.files import row_files
from levcert.files.row_files import read_records
from levcert.runs.resumable_output import ResumableOutput

COLUMNS = {"text": "text", "length": "integer"}
TEXTS = ["a", "größer", "\ud83d", "😀", 'quote " and \\ud83d\\ude00', "", "last"]


@pytest.fixture
def counted(monkeypatch):
    """How often JSON was written and read."""
    calls = {"dumps": 0, "loads": 0}

    def counting(name):
        function = getattr(json, name)

        def call(*arguments, **options):
            calls[name] += 1
            return function(*arguments, **options)

        return call

    for name in calls:
        monkeypatch.setattr(row_files.json, name, counting(name))
    return calls


def answers(texts):
    return ({"text": text, "length": len(text)} for text in texts)


def output(folder, ending, said=None):
    return ResumableOutput(folder / f"rows{ending}", COLUMNS, "abc", (said if said is not None else []).append)


def records(path):
    return [(record["text"], int(record["length"])) for record in read_records(path, COLUMNS)]


@pytest.mark.parametrize("ending", [".jsonl", ".csv", ".parquet"])
@pytest.mark.parametrize("kind", [str, bytes])
def test_a_row_is_serialised_once_and_parsed_once(ending, kind, tmp_path, counted):
    texts = ["a", "größer", "😀"] if kind is str else [b"a", b"\xff", b""]
    seen = []
    output(tmp_path, ending).write(iter(texts), answers, resume=False, seen=seen.append)
    assert counted == {"dumps": len(texts), "loads": len(texts)}
    assert [record["text"] for record in seen] == texts
    assert records(tmp_path / f"rows{ending}") == [(text, len(text)) for text in texts]
    assert [path.name for path in tmp_path.iterdir()] == [f"rows{ending}"]


@pytest.mark.parametrize("ending", [".jsonl", ".csv"])
@pytest.mark.parametrize("done", range(len(TEXTS) + 1))
def test_a_resumed_run_gives_the_file_of_a_whole_one(ending, done, tmp_path):
    def interrupted(texts):
        for number, record in enumerate(answers(texts)):
            if number == done:
                raise KeyboardInterrupt
            yield record

    if done < len(TEXTS):
        with pytest.raises(KeyboardInterrupt):
            output(tmp_path, ending).write(iter(TEXTS), interrupted, resume=False)
        assert not (tmp_path / f"rows{ending}").exists()
    answered = []

    def rest(texts):
        for record in answers(texts):
            answered.append(record["text"])
            yield record

    output(tmp_path, ending).write(iter(TEXTS), rest, resume=bool(done) and done < len(TEXTS))
    assert answered == TEXTS[done if done < len(TEXTS) else 0 :]
    assert records(tmp_path / f"rows{ending}") == [(text, len(text)) for text in TEXTS]


def test_a_byte_model_resumes_with_str_texts(tmp_path):
    def in_bytes(texts):
        return answers(text.encode() for text in texts)

    rows = output(tmp_path, ".csv")
    rows.journal.append('{"text_hex": "6162", "length": 2}')
    rows.write(iter(["ab", "ü"]), in_bytes, resume=True)
    assert records(tmp_path / "rows.csv") == [(b"ab", 2), (b"\xc3\xbc", 2)]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"text": "b", "length": 1}', "Line 1 of .* is about another text than row 1 of the input"),
        ('{"text": "a', "Line 1 of .* is damaged"),
        ('{"text": "a", "length": 1]}', "Line 1 of .* is damaged"),
    ],
)
def test_lines_that_do_not_belong_are_refused(line, message, tmp_path):
    rows = output(tmp_path, ".csv")
    rows.path.write_text(line + "\n")
    with pytest.raises(InputError, match=message):
        rows.write(iter(["a", "b"]), answers, resume=True)
    assert not (tmp_path / "rows.csv").exists()


def test_more_rows_than_texts_are_refused(tmp_path):
    rows = output(tmp_path, ".csv")
    rows.path.write_text('{"text": "a", "length": 1}\n' * 2)
    with pytest.raises(InputError, match=r"Line 2 of .* is about another text"):
        rows.write(iter(["a"]), answers, resume=True)


def test_nothing_to_resume_is_said(tmp_path):
    said = []
    output(tmp_path, ".csv", said).write(iter(["a"]), answers, resume=True)
    assert "there is no interrupted run" in said[0]


def test_a_pair_of_surrogates_is_refused_and_a_character_is_not(counted):
    line = row_files.json_line({"text": "😀"}, {"text": "text"})
    assert counted["loads"] == 0
    assert json.loads(line) == {"text": "😀"}
    row_files.json_line({"text": "\ude00\ud83d"}, {"text": "text"})  # in this order they are no pair
    with pytest.raises(InputError, match="surrogates"):
        row_files.json_line({"text": "\ud83d\ude00"}, {"text": "text"})
