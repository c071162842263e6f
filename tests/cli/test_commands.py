"""What the commands answer, by the library that they call."""

import json
import sys

import numpy as np
import pyarrow.parquet as pq
import pytest

import levcert
from levcert.certificates.certificates import Certificates
from levcert.certificates.files import certificate_record
from tests.cli.test_console import both_texts

TEXTS = ["hello w0rld", "12e4567", "abc", "99"]


@pytest.fixture
def model(toy_model):
    return levcert.load(toy_model)


@pytest.fixture
def rows(folder):
    path = folder / "rows.csv"
    path.write_text("body,topic\n" + "".join(f"{text},{'digits' if '9' in text else 'letters'}\n" for text in TEXTS))
    return "-f", path, "--text-column", "body"


def json_lines(result):
    assert result.exit_code == 0, result.stderr
    return [json.loads(line) for line in result.stdout.splitlines()]


def untimed(records):
    """Rows without what depends on the time, and on where they came from."""
    apart = {"seconds", "file", "row"}
    return [{name: value for name, value in record.items() if name not in apart} for record in records]


def test_predict_labels_arguments_lines_and_files_alike(invoke, model, rows):
    answers = json_lines(invoke("predict", "toy.safetensors", *TEXTS, "--json"))
    assert [answer["label"] for answer in answers] == model.predict(TEXTS).tolist()
    scores = model.scores(TEXTS)
    assert [answer["margin"] for answer in answers] == pytest.approx(abs(scores[:, 0] - scores[:, 1]).tolist())
    assert [answer["probability"] for answer in answers] == pytest.approx(
        model.probabilities(TEXTS).max(axis=1).tolist()
    )
    lines = "\r\n".join(TEXTS)
    for arguments, stdin in (((), lines), (("-",), lines), (rows, None)):
        lines_or_rows = json_lines(invoke("predict", "toy.safetensors", *arguments, "--json", stdin=stdin))
        assert untimed(lines_or_rows) == untimed(answers)
        assert [answer["row"] for answer in lines_or_rows] == [1, 2, 3, 4]


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
def test_predict_writes_files(ending, invoke, folder, rows, model):
    result = invoke("predict", "toy.safetensors", *rows, "-o", f"out.{ending}")
    assert result.exit_code == 0
    assert "4 rows: " in result.stdout
    reader = levcert.RowReader(folder / f"out.{ending}")
    assert [(row.text, row.label) for row in reader] == list(zip(TEXTS, model.predict(TEXTS), strict=True))


def test_predict_prints_a_table_with_the_text_last(invoke):
    lines = invoke("predict", "toy.safetensors", "abc", "a\x1b[31mb\n").stdout.splitlines()
    assert lines[0].split() == ["label", "margin", "probability", "text"]
    assert lines[1].endswith("  abc")
    assert lines[2].endswith(r"  a\x1b[31mb\n")  # nothing that a text holds reaches the terminal as a command


def test_texts_from_a_terminal_are_asked_for(invoke, monkeypatch):
    from levcert.cli.inputs import GivenTexts
    from levcert.cli.reading_flags import RunReading
    from levcert.errors import InputError

    monkeypatch.setattr(sys.stdin, "isatty", lambda: True, raising=False)
    with pytest.raises(InputError, match="through a pipe"):
        GivenTexts().read(RunReading())


def test_certify_gives_the_rows_of_certify(invoke, model, rows):
    answers = json_lines(invoke("certify", "toy.safetensors", *rows, "--json"))
    assert untimed(answers) == untimed(map(certificate_record, levcert.certify(model, TEXTS)))


@pytest.mark.parametrize(
    ("flags", "options"),
    [
        (("--method", "lipschitz"), {"method": "lipschitz"}),
        (("--method", "brute_force", "--max-distance", 1), {"method": "brute-force", "max_distance": 1}),
        (("--operations", "insert, delete"), {"operations": {"insert", "delete"}}),
        (("--symbols", "x1"), {"threat": levcert.Threat(symbols="x1")}),
        (("--budget", 5), {"budget": 5.0}),
    ],
)
def test_options_of_certify_are_those_of_the_library(flags, options, invoke, model):
    answers = json_lines(invoke("certify", "toy.safetensors", *flags, "--json", stdin="\n".join(TEXTS)))
    assert untimed(answers) == untimed(map(certificate_record, levcert.certify(model, TEXTS, **options)))


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
def test_certify_writes_certificates_that_can_be_read_back(ending, invoke, folder, rows, model):
    result = invoke("certify", "toy.safetensors", *rows, "-o", f"out.{ending}", "--max-distance", 1)
    assert result.exit_code == 0
    certificates = Certificates.read(folder / f"out.{ending}")
    expected = levcert.certify(model, TEXTS, max_distance=1)
    assert untimed(map(vars, certificates)) == untimed(map(vars, expected))
    assert f"4 certificates; labels kept: {(expected.radius >= 1).sum()} under 1 edit" in result.stdout
    names = [f"out.{ending}", f"out.{ending}.manifest", "rows.csv", "toy.safetensors"]
    assert sorted(path.name for path in folder.iterdir()) == names


def test_certify_explains_a_typed_text(invoke, model):
    [certificate] = levcert.certify(model, ["abc"])
    assert (certificate.claim, certificate.radius) == ("exact", 1)
    out = invoke("certify", "toy.safetensors", "abc").stdout
    assert f"  label      {certificate.label}\n" in out
    assert "Proved: one edit cannot change the label; 2 can." in out
    marked = out.splitlines()[-1].split(":  ")[1]
    assert both_texts(marked) == ("abc", certificate.counterexample)


def test_a_file_of_no_rows_gives_a_file_of_no_rows(invoke, folder):
    (folder / "none.csv").write_text("text\n")
    assert invoke("certify", "toy.safetensors", "-f", "none.csv", "-o", "out.jsonl").exit_code == 0
    assert (folder / "out.jsonl").read_text() == ""


def test_attack_gives_the_results_of_attack(invoke, model, rows, folder):
    answers = json_lines(invoke("attack", "toy.safetensors", *rows, "--max-distance", 4, "--json"))
    results = levcert.attack(model, TEXTS, max_distance=4)
    assert [(a["label"], a["new_label"], a["adversarial"], a["distance"]) for a in answers] == [
        (r.label, r.new_label, r.adversarial, r.distance) for r in results
    ]
    assert any(a["adversarial"] for a in answers)
    result = invoke("attack", "toy.safetensors", *rows, "--max-distance", 4, "-o", "out.parquet")
    found = sum(r.success for r in results)
    assert f"{found} of 4 labels changed by at most 4 edits" in result.stdout
    assert pq.read_table(folder / "out.parquet").column("adversarial").to_pylist() == [r.adversarial for r in results]


def test_attack_prints_what_it_finds_and_that_it_finds_nothing(invoke):
    out = invoke("attack", "toy.safetensors", "abcdefghijklmnop", "99", "--max-distance", 1).stdout.splitlines()
    assert out[1].split() == ["letters", "—", "—", "abcdefghijklmnop"]
    assert out[2].split()[:2] == ["digits", "letters"]


def test_evaluate_counts_what_certificates_and_attacks_say(invoke, model):
    result = invoke("evaluate", "toy.safetensors", "toy", "--rows", 30, "--json")
    [report] = json_lines(result)
    data = levcert.load_dataset("toy")
    texts, truth = data.test.texts[:30], [data.labels[y] for y in data.test.labels[:30]]
    certificates = levcert.certify(model, texts, max_distance=2)
    for k in (1, 2):
        share = certificates.verified_accuracy(truth, k)
        assert report["all"][f"verified k={k}"]["hits"] == share.hits
        assert report["all"][f"verified k={k}"]["low"] == share.interval[0]
    right = [label == true for label, true in zip(certificates.label, truth, strict=True)]
    assert report["all"]["clean"]["hits"] == sum(right)
    found = levcert.attack(model, texts, max_distance=2)
    nearest = [  # whoever found it
        min(found.distance or 9, certificate.upper or 9) for found, certificate in zip(found, certificates, strict=True)
    ]
    survived = sum(ok and distance > 2 for ok, distance in zip(right, nearest, strict=True))
    assert report["all"]["attacked k=2"]["hits"] == survived
    assert sum(report["claims"].values()) == report["rows"] == 30
    totals = [of_class["clean"]["total"] for of_class in report["classes"].values()]
    assert sorted(totals) == sorted(truth.count(label) for label in model.labels)
    assert report["all"]["attacked k=2"]["hits"] >= report["all"]["verified k=2"]["hits"]


def test_evaluate_reads_files_and_prints_a_table(invoke, rows):
    columns = ("rows.csv", "--text-column", "body", "--label-column", "topic", "--attack", "none")
    result = invoke("evaluate", "toy.safetensors", *columns, "--max-distance", 1)
    assert result.exit_code == 0, result.stderr
    assert "4 texts, against any edit" in result.stdout
    assert "verified k=1" in result.stdout
    assert "attacked" not in result.stdout


def test_info_tells_what_is_in_the_file(invoke, model):
    [facts] = json_lines(invoke("info", "toy.safetensors", "--json"))
    assert (facts["kind"], facts["width"], facts["labels"]) == ("conv", 3, ["digits", "letters"])
    assert facts["alphabet"]["size"] == model.alphabet.size
    assert facts["tensors"]["kernel.0"] == [3, 8, 6]
    assert facts["training"]["config"]["epochs"] == 3
    assert facts["constants"]["lipslev"]["p=2"] == pytest.approx(1)


def test_info_prints_a_table(invoke):
    out = invoke("info", "toy.safetensors").stdout
    assert "tensors: kernel.0" in out
    assert "3 × 8 × 6" in out


def test_the_largest_losses_bound_what_single_edits_take(invoke, model):
    [facts] = json_lines(invoke("info", "toy.safetensors", "--json"))
    losses = facts["constants"]["largest_loss"]
    for text in TEXTS:
        effects = model.edit_effects(model.alphabet.encode(text))
        arrays = (effects.substitutions, effects.insertions, effects.deletions)
        for name, array in zip(("substitution", "insertion", "deletion"), arrays, strict=True):
            worst = abs(array[..., 0] - array[..., 1]).max()
            assert 0 < worst <= losses[name]


def test_datasets_speak_json(invoke):
    assert "toy" in json_lines(invoke("datasets", "--json"))[0]
    assert json_lines(invoke("datasets", "toy", "--json"))[0]["rows"] == {"train": 400, "test": 100}


def test_train_speaks_json(invoke, folder):
    [report] = json_lines(invoke("train", "toy", "-o", "new.safetensors", "--epochs", 1, "--json"))
    assert report["model"] == "new.safetensors"
    assert report["metrics"]["test"] == levcert.load(folder / "new.safetensors").training.test_accuracy


def test_byte_models_answer_in_bytes(invoke, folder):
    rng = np.random.default_rng(1)
    arrays = rng.normal(size=(256, 2)), [rng.normal(size=(2, 3, 2))], rng.normal(size=(2, 3))
    model = levcert.ConvModel(levcert.Alphabet.bytes(), *arrays, labels=["x", "y"])
    model.save(folder / "bytes.safetensors")
    arguments = ("certify", "bytes.safetensors", "grün", "--max-distance", 1)
    assert invoke(*arguments).stdout.startswith(r"gr\xc3\xbcn")
    [answer] = json_lines(invoke(*arguments, "--json"))
    assert bytes.fromhex(answer["text_hex"]).decode() == "grün"
    for ending in ("csv", "parquet"):
        assert invoke(*arguments, "-o", f"out.{ending}").exit_code == 0
        [row] = Certificates.read(folder / f"out.{ending}")
        assert row.text.decode() == "grün"
    assert invoke("attack", "bytes.safetensors", "grün").exit_code == 0
    assert json_lines(invoke("predict", "bytes.safetensors", "grün", "--json"))[0]["text"] == "grün"


def test_vote_models_are_told_of_and_certified(invoke, folder):
    table = np.random.default_rng(1).integers(-9, 10, size=(2, 4096, 2)).astype(np.int8)
    model = levcert.VoteModel(levcert.Alphabet("ab"), table, [2, 3], labels=["x", "y"])
    model.save(folder / "votes.safetensors")
    [facts] = json_lines(invoke("info", "votes.safetensors", "--json"))
    assert (facts["kind"], facts["width"], facts["options"]["orders"]) == ("votes", 3, [2, 3])
    effects = model.edit_effects(model.alphabet.encode("abbab"))
    worst = abs(effects.deletions[:, 0] - effects.deletions[:, 1]).max()
    assert 0 < worst <= facts["constants"]["largest_loss"]["deletion"]
    [answer] = json_lines(invoke("certify", "votes.safetensors", "abbab", "--json"))
    [row] = levcert.certify(model, ["abbab"])
    assert (answer["label"], answer["radius"], answer["margin"]) == (row.label, row.radius, row.margin)
