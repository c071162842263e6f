"""What is measured: known answers, and the check that no method refutes another."""

import numpy as np
import pytest

import levcert
from levcert.benchmark import cell_texts as texts
from levcert.benchmark.cell_texts import dataset_for, dataset_of, select
from levcert.benchmark.measures.base import Measurement, Subject
from levcert.benchmark.measures.catalog import RefutedError, check_sandwich, measure
from levcert.benchmark.measures.published_smoothing import PublishedSmoothing
from levcert.benchmark.untrained_models import MADE
from levcert.errors import InputError


@pytest.fixture(scope="module")
def subject():
    toy = levcert.load_dataset("toy")
    model = levcert.train(toy, model="conv", kernel_size=3, filters=4, embedding_size=4, epochs=2, show_progress=False)
    split = toy.test.take(slice(0, 30))
    return Subject(model, list(split.texts), [toy.labels[y] for y in split.labels], dict(model.training.config))


def test_certified_accuracy_is_that_of_the_certificates(subject):
    spec = {"name": "exact", "kind": "certify", "method": "exact", "distances": [0, 1, 2], "refuted": True}
    values = measure(subject, [spec])
    rows = levcert.certify(subject.model, subject.texts, "exact")
    for k in (0, 1, 2):
        assert values[f"exact k={k}"] == round(100 * rows.verified_accuracy(subject.truth, k).value, 2)
        assert values[f"exact k={k}"] <= values[f"exact not refuted k={k}"]
    assert values["exact known"] == round(100 * np.mean([row.claim == "exact" for row in rows]), 2)


def test_a_measure_can_be_limited_to_some_texts(subject):
    spec = {"name": "x", "kind": "certify", "method": "lipschitz", "distances": [0], "texts": 3}
    values = measure(subject, [spec])
    assert values["x k=0"] == round(100 * subject.first(3).right.mean(), 2)


def test_an_attack_leaves_what_it_does_not_change(subject):
    specs = [{"name": "clean", "kind": "accuracy"}]
    specs += [{"name": "charmer", "kind": "attack", "method": "charmer", "distances": [1, 2]}]
    values = measure(subject, specs)
    found = levcert.attack(subject.model, subject.texts, "charmer", max_distance=2)
    left = [right and not (r.success and r.distance <= 1) for right, r in zip(subject.right, found, strict=True)]
    assert values["charmer k=1"] == round(100 * np.mean(left), 2)
    assert values["charmer k=2"] <= values["charmer k=1"] <= values["clean"]


def test_what_is_proved_must_not_be_refuted():
    proof = Measurement({}, proved=np.array([2.0, -1.0, 1.0]))
    check_sandwich({"a": proof, "b": Measurement({}, refuted=np.array([3.0, 0.0, 2.0]))})
    check_sandwich({"a": proof, "b": Measurement({}, refuted=np.array([3.0, 1.0]))})
    with pytest.raises(RefutedError, match="a proves radius 2 for text 0, and b changes its label with 2 edits"):
        check_sandwich({"a": proof, "b": Measurement({}, refuted=np.array([2.0, 1.0]))})


@pytest.mark.parametrize("p", [1, 2, np.inf])
@pytest.mark.parametrize(("q", "ratio", "exceeded"), [(5, 0.9, 0), (8, 1.25, 100), (10, 1.5, 100), (20, 2.75, 100)])
def test_the_counterexample_exceeds_the_published_constant(q, ratio, exceeded, p):
    dataset = dataset_of("abab")
    model = MADE["alternating"](dataset, {"kernel_size": q})
    alone = Subject(model, ["ab" * 30], ["0"], {"p": p})
    values = measure(alone, [{"name": "bound", "kind": "soundness"}])
    assert values["bound deletion largest"] == pytest.approx(ratio)
    assert values["bound deletion exceeded"] == exceeded
    assert values["bound substitution largest"] <= 1
    assert values["bound tap bound largest"] <= 1


def test_a_published_radius_that_one_deletion_refutes():
    model = MADE["alternating"](dataset_of("abab"), {"kernel_size": 20, "count": 9.0})
    values = measure(Subject(model, ["ab" * 30], ["0"], {"p": 1}), [{"name": "bound", "kind": "soundness"}])
    assert values["bound false"] == 100


def test_length_study(subject):
    spec = {"name": "x", "kind": "length", "method": "lipschitz", "k": 1, "bins": [0, 20, 100]}
    values = measure(subject, [spec])
    rows = levcert.certify(subject.model, subject.texts, "lipschitz")
    right = rows.label == np.array(subject.truth)
    kept = right & (rows.radius >= 1)
    lengths = np.array([len(text) for text in subject.texts])
    assert values["x verified"] == round(lengths[kept].mean(), 1)
    assert values["x not verified"] == round(lengths[right & ~kept].mean(), 1)
    assert values["x others"] == round(lengths[~kept].mean(), 1)
    assert values["x length=10"] == round(100 * kept[lengths < 20].mean(), 2)


def test_published_smoothing_takes_the_raw_share_of_the_samples_that_chose_the_label():
    """A coin that falls on heads with probability 0.55 is certified by the raw share, and rightly not by the bound."""

    def heads(texts):
        return ["heads" if len(text) % 20 < 11 else "tails" for text in texts]

    options = {"deletion": 0.5, "prediction_samples": 40, "bound_samples": 40}
    raw = levcert.certify(heads, ["x" * 400], PublishedSmoothing(**options))[0]
    right = levcert.certify(heads, ["x" * 400], levcert.certifiers.CERTIFIERS["smoothing"](**options))[0]
    assert raw.radius >= 0 > right.radius
    assert raw.claim == "no certificate"


def test_constant_and_latency(subject):
    values = measure(subject, [{"name": "G", "kind": "constant"}, {"name": "t", "kind": "latency", "texts": 2}])
    assert values["G"] == pytest.approx(1)
    assert min(values["t folded seconds"], values["t in training seconds"]) > 0


def test_a_dataset_that_cannot_be_had_is_asked_for_once(monkeypatch):
    asked = []

    def nothing(name, folder):
        asked.append(name)
        raise InputError("There is no network.")

    monkeypatch.setattr(texts, "load_dataset", nothing)
    for _ in range(2):
        with pytest.raises(InputError, match="no network"):
            dataset_of("never heard of")
    assert asked == ["never heard of"]


def test_selections_of_texts():
    toy = levcert.load_dataset("toy")
    config = {"cut": 4, "validation_rows": 20, "seed": 1}
    first = select("first 7", toy, config)
    assert list(first.texts) == [text[:4] for text in toy.test.texts[:7]]
    shuffled = select("shuffled 7", toy, config)
    assert len(shuffled) == 7
    assert list(shuffled.texts) != list(first.texts)
    assert max(map(len, select("shuffled 7 whole", toy, config).texts)) > 6
    assert max(map(len, select("shuffled 7 cut 6", toy, config).texts)) == 6
    from_the_end = [toy.train.texts[i] for i in (0, -1, -2)]  # as the paper's loops take them
    assert list(select("training 3 whole", toy, config).texts) == from_the_end
    last = dataset_for({"dataset": "toy", "texts": "last 3"})
    assert list(select("last 3", last, {}).texts) == from_the_end
    assert last.train.texts == toy.train.texts[:-3]  # with the first row, which the paper trains on and validates with
    assert len(select("all", toy, config)) == len(toy.test)
    assert len(select("validation", toy, config)) == 20
    assert len(select("first 1000", toy, config)) == len(toy.test)
    with pytest.raises(InputError, match="validation_rows"):
        select("validation", toy, {"seed": 1})
    apart = dataset_for({"dataset": "toy", "texts": "apart 7"})
    assert len(select("apart 7", apart, config)) == 7
    assert set(apart.test.texts) <= set(toy.train.texts) - set(apart.train.texts)
    assert dataset_for({"dataset": "toy", "texts": "first 7"}).test.texts == toy.test.texts
    for wrong in ("next 7", "apart", "first", "first 7 cut", "first 7 whole cut 6", "all 7", "validation cut 6"):
        with pytest.raises(InputError, match="'first N'"):
            select(wrong, toy, {})


@pytest.fixture(scope="module")
def folded():
    """Models of digits (the class that evades) against letters, one for each fold."""
    toy = levcert.load_dataset("toy")
    texts, truth = list(toy.test.texts[:30]), [toy.labels[y] for y in toy.test.labels[:30]]
    made = {}
    for fold in ("case", "lookalikes"):
        model = levcert.train(toy, fold=fold, orders=(1, 2), table_bits=12, epochs=2, show_progress=False)
        made[fold] = Subject(model, texts, truth, dict(model.training.config))
    return made


def test_recall_is_the_accuracy_of_one_class(folded):
    subject = folded["case"]
    specs = [
        {"name": "clean", "kind": "accuracy", "evaders": 1},
        {"name": "exact", "kind": "certify", "method": "chains", "distances": [0, 1], "evaders": 1},
    ]
    values = measure(subject, specs)
    bad = np.array(subject.truth) == subject.model.labels[1]
    rows = levcert.certify(subject.model, subject.texts, "chains")
    assert values["clean recall"] == values["exact recall k=0"] == round(100 * subject.right[bad].mean(), 2)
    assert values["exact recall k=1"] == round(100 * (subject.right & (rows.radius >= 1))[bad].mean(), 2)


def test_disguises_fool_a_model_that_does_not_fold_them_and_no_other(folded):
    values = {}
    for fold, subject in folded.items():
        specs = [{"name": "disguised", "kind": "disguise", "evaders": 1}]
        values[fold] = measure(subject, [*specs, {"name": "clean", "kind": "accuracy", "evaders": 1}])
    assert values["lookalikes"]["disguised"] == values["lookalikes"]["clean"]
    assert values["lookalikes"]["disguised recall"] == values["lookalikes"]["clean recall"]
    assert values["case"]["disguised"] < values["case"]["clean"]


def test_evasion_leaves_what_the_attack_does_not_make_pass(folded):
    subject = folded["case"]
    spec = {"name": "charmer", "kind": "evasion", "method": "charmer", "distances": [1, 2], "evaders": 1, "most": 8}
    values = measure(subject, [spec])
    bad = np.flatnonzero(np.array(subject.truth) == subject.model.labels[1])[:8]
    found = levcert.attack(subject.model, [subject.texts[row] for row in bad], "charmer", max_distance=2)
    kept = [subject.right[row] and not (r.success and r.distance <= 1) for row, r in zip(bad, found, strict=True)]
    assert values["charmer k=1"] == round(100 * np.mean(kept), 2)
    assert values["charmer k=2"] <= values["charmer k=1"] <= values["charmer k=0"]
    assert values["charmer texts"] == 8


def test_the_baseline_can_be_attacked_and_certified():
    pytest.importorskip("sklearn")
    toy = levcert.load_dataset("toy")
    baseline = MADE["tfidf"](toy, {"longest": 2})
    texts, truth = list(toy.test.texts[:12]), [toy.labels[y] for y in toy.test.labels[:12]]
    subject = Subject(baseline, texts, truth, {})
    specs = [
        {"name": "clean", "kind": "accuracy", "evaders": 1},
        {"name": "greedy", "kind": "evasion", "method": "greedy", "distances": [1], "evaders": 1, "most": 12},
        {"name": "exact", "kind": "certify", "method": "exact", "max_distance": 1, "distances": [1], "evaders": 1},
    ]
    values = measure(subject, specs)
    assert baseline.labels == toy.labels
    assert values["clean"] > 90
    assert values["greedy k=1"] <= values["greedy k=0"]
    assert values["exact k=1"] <= values["clean"]
    assert 0 < values["exact recall k=1"] <= values["greedy k=1"]
