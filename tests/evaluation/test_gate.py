"""The gate for releases: lower confidence bounds, exit codes, and files for CI servers."""

import json
from xml.etree import ElementTree

import pytest
from scipy.stats import binomtest

import levcert
from levcert import InputError
from levcert.certificates.share import Share
from levcert.evaluation.gate import Check, Requirement
from levcert.testing import assert_verified
from tests.counting_model import counting_model

TEXTS = ["hello", "ab", "12", "12345", "x1234"] * 8  # radii 2, 1, 0, 2, 1
TRUTH = ["letters", "letters", "letters", "digits", "digits"] * 8


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    counting_model().save("model.safetensors")
    rows = "".join(f"{text},{label}\n" for text, label in zip(TEXTS, TRUTH, strict=True))
    (tmp_path / "test.csv").write_text("text,label\n" + rows)
    return tmp_path


@pytest.fixture
def check(folder):
    from typer.testing import CliRunner

    from levcert.cli.app import app

    return lambda *arguments: CliRunner().invoke(app, ["check", "model.safetensors", "test.csv", *arguments])


def test_the_bound_counts_and_not_the_share():
    for hits, total in ((0, 10), (9, 10), (10, 10), (90, 100), (900, 1000)):
        check = Check(Requirement(1, 0.85), Share(hits, total), 0.95, "name")
        exact = binomtest(hits, total).proportion_ci(0.90, "exact").low
        assert check.lower == pytest.approx(exact, abs=1e-12)
        assert check.passed == (exact >= 0.85)
    assert not Check(Requirement(1, 0.1), Share(0, 0), 0.95, "nothing").passed


def test_a_bound_below_the_requirement_is_shown_below_it():
    check = Check(Requirement(1, 0.9), Share(523, 568), 0.95, "name")
    assert 0.8995 < check.lower < 0.9
    assert check.sentence.endswith("lower bound 89.9%, below the required 90%")


def test_the_command_passes_misses_and_reports_both(check, folder):
    wanted = ("--min-verified", "1:0.6", "--min-verified", "2:0.5", "--min-recall", "letters:1:0.45")
    result = check(*wanted, "--junit", "junit.xml", "--report", "check.json")
    assert result.exit_code == 1, result.output
    assert "MISSED  verified accuracy under 2 edits ≥ 0.5: 16 of 40 texts (40.0%); lower bound" in result.output
    assert "2 of 3 requirements met, with 95 % confidence each." in result.output
    facts = json.loads((folder / "check.json").read_text())
    assert [row["passed"] for row in facts["checks"]] == [True, False, True]
    assert facts["passed"] is False
    assert facts["checks"][2]["label"] == "letters"
    missed = facts["checks"][1]["missed"]
    assert len(missed) == 10
    assert missed[0] == {"text": "ab", "truth": "letters", "label": "letters", "radius": 1}
    suite = ElementTree.parse(folder / "junit.xml").getroot()
    assert (suite.get("tests"), suite.get("failures")) == ("3", "1")
    cases = list(suite.iter("testcase"))
    assert [case.find("failure") is None for case in cases] == [True, False, True]
    assert "'ab'" in cases[1].find("failure").text
    assert check("--min-verified", "1:0.6").exit_code == 0
    assert check("--min-verified", "1:0.75").exit_code == 1  # 80 % were measured, which proves less


def test_one_sided_requirements(check):
    found = json.loads(
        check("--min-recall", "letters:2:0.1", "--min-verified", "1:0.4", "--target", "digits", "--json").stdout
    )
    assert [(row["hits"], row["total"]) for row in found["checks"]] == [(16, 24), (8, 24)]
    assert found["checks"][0]["name"] == "verified recall of non-digits under 1 edit to make it digits ≥ 0.4"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "give at least one of --min-verified and --min-recall"),
        (("--min-verified", "0.9"), "EDITS:SHARE, such as 1:0.90"),
        (("--min-verified", "1:90"), "above 0 and at most 1"),
        (("--min-verified", "1:x"), "above 0 and at most 1"),
        (("--min-recall", "2:0.8"), "LABEL:EDITS:SHARE"),
        (("--min-recall", "ham:2:0.8"), "There is no label 'ham'"),
        (("--min-verified", "1:0.5", "--confidence", "1"), "confidence must be"),
        (("--min-verified", "1:0.5", "--junit", "none/x.xml"), "folder does not exist"),
        (("--min-verified", "1:0.5", "--target", "ham"), "There is no label 'ham'"),
    ],
)
def test_bad_requirements(arguments, message, check):
    result = check(*arguments)
    assert result.exit_code == 2
    assert message in result.stderr


def test_the_assertion_for_pytest():
    model = counting_model()
    checks = assert_verified(model, TEXTS, TRUTH, {1: 0.6}, recall={"letters": {1: 0.45}})
    assert [check.measured.hits for check in checks] == [32, 16]
    with pytest.raises(AssertionError, match=r"verified accuracy under 2 edits ≥ 0.5: 16 of 40 texts"):
        assert_verified(model, TEXTS, TRUTH, {1: 0.6, 2: 0.5})
    with pytest.raises(InputError, match="Nothing is required"):
        assert_verified(model, TEXTS, TRUTH)


def test_strange_texts_make_valid_xml(tmp_path):
    from levcert.reports.gate_files import write_junit

    model = counting_model()
    texts = ["a\x00\x1b\ud800<&>", "1\ufffe"]
    with pytest.raises(AssertionError):
        assert_verified(model, texts, ["letters", "digits"], {1: 1.0})
    evaluator = levcert.evaluation.evaluator.Evaluator(model, attack=None)
    evaluation = levcert.evaluation.evaluate.Evaluation.by(evaluator)
    gate = levcert.evaluation.gate.Gate([Requirement(1, 1.0)], model.labels)
    gate.watch(evaluator.measured(zip(texts, ["letters", "digits"], strict=True)), evaluation)
    write_junit(tmp_path / "x.xml", gate.checks(evaluation), "name \x01", 1.0)
    ElementTree.parse(tmp_path / "x.xml")
