"""The audit of one-sided rows: it confirms what is true of the target, and refutes what is not."""

import dataclasses

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import levcert
from levcert import Alphabet
from levcert.certificates.audit import audit
from tests.certificates.audit_cases import convolution, votes
from tests.counting_model import counting_model


@pytest.fixture(scope="module")
def counting(tmp_path_factory):
    path = tmp_path_factory.mktemp("audit") / "counting.safetensors"
    counting_model(Alphabet("ab12")).save(path)
    return levcert.load(path), path


@given(st.integers(0, 1000), st.booleans(), st.text("abc", max_size=4))
@settings(max_examples=25)
def test_what_is_proved_is_never_refuted(tmp_path_factory, seed, of_votes, text):
    model = (votes if of_votes else convolution)(Alphabet("abc"), seed, classes=3)
    path = tmp_path_factory.mktemp("models") / "model.safetensors"
    model.save(path)
    for target in model.labels:
        rows = levcert.certify(model, [text], target=target, per_class=True, max_distance=2)
        assert not audit(path, rows).refuted
        if rows[0].claim == "exact":
            wider = dataclasses.replace(rows[0], radius=rows[0].upper, claim="proved", upper=None, counterexample=None)
            assert audit(path, [wider]).refuted


def test_false_rows_are_refuted_and_the_sentence_says_why(counting):
    model, path = counting
    row = levcert.certify(model, ["aaaa"], target="digits", max_distance=3)[0]
    assert [finding.verdict for finding in audit(path, [row]).findings] == ["confirmed by enumeration"]
    facts = {name: getattr(row, name) for name in ("text", "label", "radius", "claim", "target", "threat", "unit")}
    already = facts | {"target": "letters"}
    for wrong, sentence in (
        (facts | {"radius": 3, "claim": "proved"}, "the radius is 3, and 3 edits can give the label 'digits'"),
        (facts | {"upper": 1, "counterexample": "aaa"}, "the counterexample has the label 'letters', not 'digits'"),
        (already, "the row is about becoming 'letters', and its label is 'letters'"),
        (facts | {"target": "ham"}, "the model has no label 'ham'"),
        (facts | {"claim": "proved", "class_radii": {"digits": 3}}, "the radius is 3, and 3 edits can give"),
        (facts | {"claim": "proved", "class_radii": {"letters": 3}}, "which is the label of the text itself"),
    ):
        [finding] = audit(path, [wrong]).findings
        assert finding.verdict == "REFUTED"
        assert sentence in finding.sentence
    [true] = audit(path, [already | {"claim": "is the target", "radius": 0}]).findings
    assert true.verdict == "confirmed by enumeration"
