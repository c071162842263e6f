"""Certificates and attacks for functions of which nothing is known but their answers."""

import numpy as np
import pytest

import levcert
from levcert import InputError, certify_callable


def shouting(texts):
    """Exclamation marks make the label; as many letters as marks make a tie."""
    return ["loud" if 2 * text.count("!") > len(text) else "calm" for text in texts]


def pipeline(texts):
    """Answer as a pipeline of transformers does."""
    return [{"label": label, "score": 0.9} for label in shouting(texts)]


def scored_pipeline(texts):
    """Answer as a pipeline with top_k=None does: all classes, the best first."""
    answers = []
    for text in texts:
        loud = (1 + text.count("!")) / (2 + len(text))
        entries = [{"label": "loud", "score": loud}, {"label": "calm", "score": 1 - loud}]
        answers.append(sorted(entries, key=lambda entry: -entry["score"]))
    return answers


def scores(texts):
    return [[entry["score"] for entry in sorted(row, key=lambda e: e["label"])] for row in scored_pipeline(texts)]


@pytest.mark.parametrize("function", [shouting, pipeline, scored_pipeline])
def test_answers_of_every_form_give_the_same_labels(function):
    certificates = certify_callable(function, ["so calm", "!!!"], "brute_force", symbols="a!")
    assert certificates.label.tolist() == ["calm", "loud"]
    assert [row.radius for row in certificates] == [1, 1]


def test_brute_force_is_exact_over_the_symbols_named():
    [row] = certify_callable(shouting, ["!!a"], "brute-force", max_distance=2, symbols="ab!")
    assert (row.label, row.radius, row.upper, row.claim) == ("loud", 0, 1, "exact")
    [row] = certify_callable(shouting, ["!!a"], "brute-force", max_distance=2, symbols="!", operations=["insert"])
    assert (row.radius, row.claim) == (2, "proved")


def test_brute_force_must_be_told_the_symbols():
    with pytest.raises(InputError, match="symbols="):
        certify_callable(shouting, ["abc"], "brute-force")
    with pytest.raises(InputError, match="symbols="):  # printable characters are not all there are
        levcert.certify(shouting, ["abc"], "brute-force")
    [row] = levcert.certify(shouting, ["!!a"], "brute-force", operations=["delete"])  # brings nothing in
    assert row.claim in ("exact", "proved")


def test_smoothing_certifies_the_vote_and_names_its_probability():
    options = {"deletion": 0.5, "prediction_samples": 100, "bound_samples": 500, "alpha": 0.01}
    rows = certify_callable(pipeline, ["!" * 20, "calm" * 5], **options)
    assert rows.label.tolist() == ["loud", "calm"]
    assert {row.claim for row in rows} == {"probability ≥ 0.99"}
    # every sample agrees, so μ = α^(1/n) and the radius is ⌊ln(1.5 − μ)/ln p⌋ = 0
    assert rows.radius.tolist() == [0, 0]
    easy = certify_callable(lambda texts: [1] * len(texts), ["abc"], deletion=0.9, bound_samples=500)
    mu = 0.05 ** (1 / 500)
    assert easy[0].label == "1"
    assert easy[0].radius == int(np.log(1.5 - mu) / np.log(0.9))


@pytest.mark.parametrize("function", [scored_pipeline, scores])
def test_charmer_attacks_functions_that_give_scores(function):
    [result] = levcert.attack(function, ["!!a"], max_distance=2, alphabet="ab!")
    assert result.success
    assert shouting([result.adversarial]) == ["calm"]
    assert result.label == ("loud" if function is scored_pipeline else "1")


def test_attacks_need_scores():
    with pytest.raises(InputError, match="returns scores"):
        levcert.attack(pipeline, ["!!a"])


@pytest.mark.parametrize(
    ("function", "options", "message"),
    [
        (shouting, {"method": "exact"}, "smoothing and brute-force, not 'exact'"),
        (shouting, {"samples": 3}, "smoothing has no option 'samples'; it has alpha"),
        (shouting, {"method": "brute-force", "symbols": "a", "alphabet": "b"}, "no option 'alphabet'"),
        (lambda texts: [{"score": 1}] * len(texts), {}, 'without "label"'),
        (lambda texts: ["x"], {}, "one label or one row of scores per text"),
        (lambda texts: [[{"label": str(i), "score": 1}] for i, _ in enumerate(texts)], {}, "different classes"),
    ],
)
def test_what_cannot_be_used_is_refused(function, options, message):
    with pytest.raises(InputError, match=message):
        certify_callable(function, ["abc"], **options)
