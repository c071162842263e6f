"""One engine: its three faces (evaluate, the report, the benchmark) count the same, and it counts what is true."""

import itertools
import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import levcert
from levcert import Alphabet, Certificate, ConvModel, InputError, Threat
from levcert.benchmark.measures.base import Subject
from levcert.benchmark.measures.catalog import measure
from levcert.evaluation import evaluator
from levcert.evaluation.evaluate import Evaluation, evaluate
from levcert.evaluation.evaluator import Evaluator, with_attack
from levcert.evaluation.outcome import Outcome, Tally
from levcert.reports import report
from tests.counting_model import counting_model, radius

DISTANCES = (1, 2)
METHODS = ("auto", "exact", "lipschitz")


@pytest.fixture(scope="module")
def toy():
    toy = levcert.load_dataset("toy")
    split = toy.test.take(slice(0, 40))
    return list(split.texts), [toy.labels[y] for y in split.labels]


@pytest.fixture(scope="module")
def model(toy):
    """A model that errs, whose labels two edits may change, and whose one-pass bound leaves texts undecided."""
    rng, alphabet = np.random.default_rng(0), Alphabet.from_corpus(toy[0])
    embedding, kernel, head = rng.normal(size=(alphabet.size, 4)), rng.normal(size=(3, 6, 4)), rng.normal(size=(2, 6))
    return ConvModel(alphabet, embedding, [kernel], head, labels=sorted(set(toy[1])))


def truly_changed(model, text, distance):
    """The obvious way: ask the model about every text within a distance."""
    return len(set(model.predict(list(levcert.Ball(text, distance, model.alphabet))))) > 1


@pytest.fixture(scope="module", params=METHODS)
def counts(request, model, toy, tmp_path_factory):
    """Hits of clean, verified and attacked accuracy, as each face gives them."""
    texts, truth = toy
    folder = tmp_path_factory.mktemp("faces")
    model.save(folder / "model.safetensors")
    rows = folder / "rows.jsonl"
    rows.write_text("".join(json.dumps({"text": t, "label": y}) + "\n" for t, y in zip(texts, truth, strict=True)))
    return {
        "library": counted_by_library(model, texts, truth, request.param),
        "command": counted_by_command(folder, rows, request.param),
        "report": counted_by_report(model, texts, truth, request.param, folder / "report.html"),
        "benchmark": counted_by_benchmark(model, texts, truth, request.param),
    }


def counted_by_library(model, texts, truth, method):
    found = evaluate(model, texts, truth, method=method)
    both = [(found.verified(k).hits, found.attacked(k).hits) for k in DISTANCES]
    return found.clean().hits, both, found.claims


def counted_by_command(folder, rows, method):
    from typer.testing import CliRunner

    from levcert.cli.app import app

    command = ["evaluate", str(folder / "model.safetensors"), str(rows), "--method", method, "--json"]
    result = CliRunner().invoke(app, command)
    assert result.exit_code == 0, result.output
    answer = json.loads(result.stdout)
    shares = answer["all"]
    both = [(shares[f"verified k={k}"]["hits"], shares[f"attacked k={k}"]["hits"]) for k in DISTANCES]
    return shares["clean"]["hits"], both, answer["claims"]


def counted_by_report(model, texts, truth, method, path):
    summary = report(model, texts, truth, path, method=method, max_distance=2)
    for point in summary.curve:
        assert point.undecided == point.attacked.hits - point.certified.hits
    both = [(summary.curve[k].certified.hits, summary.curve[k].attacked.hits) for k in DISTANCES]
    return summary.clean.hits, both, summary.claims


def counted_by_benchmark(model, texts, truth, method):
    """The benchmark measures a certifier and an attack apart; a text survives if neither finds anything."""
    subject = Subject(model, texts, truth, {})
    certify = {"name": "c", "kind": "certify", "method": method, "distances": [0, 1, 2], "max_distance": 2}
    values = measure(subject, [certify | {"refuted": True}, {"name": "clean", "kind": "accuracy"}])
    rows = levcert.certify(model, texts, method, max_distance=2)
    attacks = levcert.attack(model, texts, max_distance=2)
    outcomes = [Outcome.of(row, y, found.distance) for row, y, found in zip(rows, truth, attacks, strict=True)]
    merged = Tally.of(outcomes)
    assert [values[f"c k={k}"] for k in DISTANCES] == [round(100 * merged.verified(k).value, 2) for k in DISTANCES]
    alone = Tally.of(map(Outcome.of, rows, truth))
    assert [values[f"c not refuted k={k}"] for k in DISTANCES] == [
        round(100 * alone.attacked(k).value, 2) for k in DISTANCES
    ]
    both = [(round(values[f"c k={k}"] * len(texts) / 100), merged.attacked(k).hits) for k in DISTANCES]
    return round(values["clean"] * len(texts) / 100), both, None


def test_the_faces_agree_on_clean_verified_and_attacked_accuracy(counts):
    clean_and_shares = {face: found[:2] for face, found in counts.items()}
    assert len(set(map(repr, clean_and_shares.values()))) == 1, clean_and_shares


def test_the_faces_agree_on_when_proved_becomes_exact(counts):
    assert counts["library"][2] == counts["command"][2] == counts["report"][2]


def test_there_is_something_to_agree_on(counts):
    clean, both, claims = counts["library"]
    assert 0 < both[0][0] < clean
    assert "exact" in claims


def test_a_certifiers_counterexample_counts_like_one_of_an_attack(model, toy):
    """The exact search finds what a weak attack does not: `evaluate` used to ignore it, the report did not."""
    found = evaluate(model, *toy, method="exact", attack="random", max_distance=1)
    assert found.verified(1) == found.attacked(1)
    for text, truth in zip(*toy, strict=True):
        [alone] = Evaluator(model, "exact", "random", 1).measured([(text, truth)])
        if alone.outcome.right:
            assert alone.outcome.survives(1) == (not truly_changed(model, text, 1))


def test_accuracies_are_what_counting_gives(toy):
    texts, truth = toy
    model = counting_model()
    found = evaluate(model, texts, truth, max_distance=3)
    right = [label == y for label, y in zip(model.predict(texts), truth, strict=True)]
    for k in range(1, 4):
        kept = sum(ok and radius(text) >= k for ok, text in zip(right, texts, strict=True))
        assert (found.verified(k).hits, found.attacked(k).hits) == (kept, kept)
    for label in model.labels:
        assert found.clean(label).total == truth.count(label)
    assert sum(found.clean(label).hits for label in model.labels) == found.clean().hits == sum(right)


RADII, UPPERS = st.integers(-1, 4), st.none() | st.integers(1, 6)
CLAIMS = st.sampled_from(["proved", "substitutions only", "probability ≥ 0.9"])


@given(RADII, UPPERS, UPPERS, CLAIMS, st.booleans())
def test_every_outcome_is_one_of_three(radius, upper, found, claim, right):
    upper = None if upper is None or upper <= radius else upper
    row = Certificate("a", "x", radius, 1.0, "m", claim, upper=upper, counterexample=None if upper is None else "b")
    if found is not None and found <= radius and claim != "substitutions only":
        found = None
    outcome = Outcome.of(row, "x" if right else "y", found)
    assert outcome.right == (right and radius >= 0)
    assert outcome.exact == (claim == "proved" and upper == radius + 1)
    for k in range(6):
        lost = any(distance is not None and distance <= k for distance in (upper, found))
        assert outcome.survives(k) == (outcome.right and not lost)
        assert outcome.undecided(k) == (outcome.survives(k) and not outcome.verified(k))
        if claim == "proved":
            assert outcome.verified(k) <= outcome.survives(k)


@given(st.lists(st.tuples(st.sampled_from("xy"), st.booleans(), st.integers(0, 3), UPPERS), max_size=30))
def test_counts_give_the_shares_that_rows_would_give(rows):
    outcomes = list(itertools.starmap(Outcome, rows))
    tally = Tally.of(outcomes)
    assert len(tally) == len(tally.with_truth("x")) + len(tally.with_truth("y")) == len(rows)
    half = Tally.of(outcomes[::2]) + Tally.of(outcomes[1::2])
    for k in range(4):
        assert tally.verified(k).hits == half.verified(k).hits == sum(outcome.verified(k) for outcome in outcomes)
        assert tally.attacked(k).hits == half.attacked(k).hits == sum(outcome.survives(k) for outcome in outcomes)


def test_an_evaluation_keeps_counts_and_no_texts(toy):
    texts, truth = toy
    once = evaluate(counting_model(), texts, truth)
    often = evaluate(counting_model(), texts * 5, truth * 5)
    assert len(often) == 5 * len(once)
    assert len(often.tally.counts) == len(once.tally.counts)


def test_smoothing_certifies_another_classifier_so_no_attack_on_the_model_counts():
    model = ConvModel(Alphabet("ab"), [[1.0], [-3.0]], [[[[1.0]]]], [[0.0], [1.0]], labels=["x", "y"])
    found = evaluate(model, ["aaaaaaaa"], ["y"], method="smoothing")
    assert not found.was_attacked
    assert [name for name in found.shares() if name.startswith("attacked")] == []
    assert any(name.startswith("verified (probability") for name in found.shares())


def test_lipslev_is_measured_against_what_it_is_proved_for_unless_a_threat_is_given(model, toy):
    substitutions = evaluate(model, *toy, method="lipslev")
    assert substitutions.threat.operations == Threat(frozenset({"substitute"})).operations
    assert set(substitutions.claims) <= {"proved", "exact"}
    any_edit = evaluate(model, *toy, method="lipslev", threat=Threat())
    assert any(name.startswith("verified (substitutions only)") for name in any_edit.shares())
    for k in DISTANCES:
        assert any_edit.attacked(k).hits <= evaluate(model, *toy, method="lipschitz").attacked(k).hits


def test_a_counterexample_within_a_proved_radius_is_reported_as_a_defect(monkeypatch):
    """Unless the certificate claims less than the threat allows."""
    model = counting_model()
    found = levcert.attack(model, ["ab1"], max_distance=1)
    assert found[0].distance == 1
    monkeypatch.setattr(evaluator, "attack_each", lambda *arguments, **options: iter(found))
    row = Certificate("ab1", "letters", 2, 1.0, "lipschitz", "proved")
    with pytest.raises(InputError, match="defect of the certifier"):
        with_attack(model, row, 5)
    weaker = replace(row, claim="substitutions only")
    assert with_attack(model, weaker, 5) == weaker


@pytest.mark.parametrize(
    ("texts", "truth", "options", "message"),
    [
        ("abc", ["letters"], {}, "write \\[text\\]"),
        (["a"], ["letters", "digits"], {}, "2 true labels for 1 texts"),
        (iter(["a"]), iter(["letters", "digits"]), {}, "not as many true labels as texts"),
        (["a", "b"], ["letters", "signs"], {}, "Row 2 has the label 'signs', but the model only knows"),
        (iter(["a"]), iter(["signs"]), {}, "Row 1 has the label 'signs'"),
        (["a"], ["letters"], {"method": "magic"}, "no certifier 'magic'"),
        (["a"], ["letters"], {"attack": "magic"}, "no attack 'magic'"),
        (["a"], ["letters"], {"max_distance": -1}, "at least 0"),
    ],
)
def test_what_cannot_be_evaluated_is_refused(texts, truth, options, message):
    with pytest.raises(InputError, match=message):
        evaluate(counting_model(), texts, truth, **options)


def test_any_function_is_evaluated():
    """Verified by classifying every text one printable edit away, attacked with its scores, or at random without."""

    def scores(texts):
        return [[text.count("!"), 1.5] for text in texts]

    def labels(texts):
        return ["loud" if text.count("!") > 1.5 else "calm" for text in texts]

    by_score = evaluate(scores, ["a!b!", "ab", "!!!"], ["0", "1", "0"], max_distance=2)
    by_label = evaluate(labels, ["a!b!", "ab", "!!!"], ["loud", "calm", "loud"], max_distance=2)
    for found in (by_score, by_label):
        assert [share.hits for share in (found.clean(), found.verified(1), found.attacked(1))] == [3, 2, 2]
        assert found.method == "brute-force"
        assert found.threat.symbols is not None
        assert "bringing in only" in str(found)
    assert by_score.attacked(2).hits == 0
    assert (by_score.attack, by_label.attack) == ("charmer", "random")
    assert set(by_label.labels) == {"loud", "calm"}
    with pytest.raises(InputError, match="not int"):
        evaluate(3, ["a"], ["x"])


def test_texts_may_be_a_stream(toy):
    texts, truth = toy
    stream = evaluate(counting_model(), iter(texts), iter(truth))
    assert stream.tally == evaluate(counting_model(), texts, truth).tally
    assert isinstance(stream, Evaluation)
    assert str(stream).startswith("40 texts, against any edit (characters): clean: ")
    assert np.isfinite(list(stream.seconds.values())).all()


def test_an_evaluation_by_brute_force_names_the_characters_that_were_tried():
    """Verified with "z" only, texts were once counted as verified against any edit."""

    def free(texts):
        return ["spam" if "free" in text else "ham" for text in texts]

    method = levcert.BruteForce(max_distance=1, alphabet="z")
    found = levcert.evaluate(free, ["fre"], ["ham"], method=method, attack=None, max_distance=1)
    assert found.verified(1).hits == 1
    assert found.threat.symbols == "z"
    assert "against any edit, bringing in only 'z' (characters)" in str(found)
