"""How much rows count in training: skewed classes are balanced, and a row's weight is as good as repeating it."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

import levcert
from levcert import Dataset, InputError, LevenshteinClassifier, Split
from levcert.training.conv.config import TrainingConfig
from levcert.training.conv.losses import loss_of
from levcert.training.data import resolved_class_weight, row_weights

SMALL = {"orders": (2, 3), "table_bits": 12, "epochs": 2}
NOTHING = Split([], np.zeros(0, dtype=np.int64))


def split_of(labels, weights=None):
    texts = [f"text {number}" for number in range(len(labels))]
    return Split(texts, np.array(labels), None if weights is None else np.array(weights, dtype=float))


rows = st.lists(st.tuples(st.integers(0, 2), st.integers(1, 5)), min_size=1, max_size=12)


@given(rows)
def test_balanced_classes_weigh_the_same_in_all(rows):
    labels, own = zip(*rows, strict=True)
    split = split_of(labels, own)
    weights = row_weights(split, "balanced")
    totals = np.bincount(labels, weights)
    occurring = totals[totals > 0]
    assert np.allclose(occurring, occurring[0])
    assert np.isclose(weights.mean(), 1)
    for y in set(labels):  # inside a class, weights stay in proportion
        inside = np.flatnonzero(np.array(labels) == y)
        assert np.allclose(weights[inside] / weights[inside[0]], np.array(own)[inside] / own[inside[0]])


@given(rows)
def test_a_row_s_weight_is_as_good_as_repeating_it(rows):
    labels, own = zip(*rows, strict=True)
    repeated = [y for y, times in rows for _ in range(times)]
    for choice in ("none", "balanced", "auto"):
        once, often = row_weights(split_of(labels, own), choice), row_weights(split_of(repeated), choice)
        share = np.add.reduceat(often, np.cumsum((0, *own[:-1]))) / len(repeated)
        assert np.allclose(once / len(labels), share)


@pytest.mark.parametrize(
    ("labels", "weights", "expected"),
    [
        ([0, 1, 1], None, "balanced"),
        ([0, 0, 1, 1, 1], None, "none"),
        ([0, 1, 1], [2, 1, 1], "none"),  # the weights have balanced them already
        ([0, 1], [1, 2], "balanced"),
        ([0, 0, 0], None, "none"),  # the other class does not occur
    ],
)
def test_auto_balances_where_one_class_has_twice_the_weight_of_another(labels, weights, expected):
    assert resolved_class_weight("auto", split_of(labels, weights)) == expected
    assert resolved_class_weight("none", split_of(labels, weights)) == "none"


@pytest.mark.parametrize("model", ["votes", "conv"])
def test_a_model_remembers_whether_its_classes_were_balanced(model):
    toy = levcert.load_dataset("toy")
    few = np.concatenate([np.flatnonzero(toy.train.labels == 0), np.flatnonzero(toy.train.labels == 1)[:20]])
    options = SMALL if model == "votes" else {"filters": 4, "embedding_size": 4, "epochs": 1}
    found = {}
    for name, train in {"skewed": toy.train.take(few), "even": toy.train}.items():
        trained = levcert.train(
            Dataset("toy", toy.labels, train, NOTHING, ""), model=model, show_progress=False, **options
        )
        found[name] = trained.training.config["class_weight"]
    assert found == {"skewed": "balanced", "even": "none"}


@pytest.mark.parametrize("loss", ["cross_entropy", "hinge"])
def test_the_network_s_loss_counts_a_text_of_weight_two_twice(loss):
    config = TrainingConfig(loss=loss, margin=1.0)
    scores, labels = torch.tensor([[1.0, 0.5, -1.0], [0.0, 2.0, 1.5]]), torch.tensor([0, 2])
    weighted = loss_of(scores, labels, config, torch.tensor([2.0, 1.0])) * 2
    repeated = loss_of(scores[[0, 0, 1]], labels[[0, 0, 1]], config) * 3
    assert torch.isclose(weighted, repeated)
    assert torch.isclose(loss_of(scores, labels, config, torch.ones(2)), loss_of(scores, labels, config))


def test_sample_weights_reach_the_estimator():
    texts, labels = ["aaaa", "abab", "bbbb", "aaaa", "abab", "bbbb"], ["a", "a", "b", "b", "b", "a"]
    options = SMALL | {"class_weight": "none", "edits": 0, "dropout": 0.0}
    for trusted, expected in ((slice(0, 3), "aab"), (slice(3, 6), "bba")):
        weights = np.full(6, 0.001)
        weights[trusted] = 1
        classifier = LevenshteinClassifier(**options).fit(texts, labels, sample_weight=weights)
        assert "".join(classifier.predict(texts[:3])) == expected
    left_out = LevenshteinClassifier(**options).fit(texts, labels, sample_weight=[1, 1, 1, 0, 0, 0])
    alone = LevenshteinClassifier(**options).fit(texts[:3], labels[:3])
    assert (left_out.model_.votes == alone.model_.votes).all()


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1, 2], "one weight per text"),
        ([1, -1, 1, 1], "The weight of row 1 is -1.0"),
        ([1, float("nan"), 1, 1], "The weight of row 1 is nan"),
        ([0, 0, 0, 0], "All weights are 0"),
        (["much", 1, 1, 1], "one number per text"),
    ],
)
def test_weights_that_make_no_sense_are_refused(weights, message):
    with pytest.raises(InputError, match=message):
        LevenshteinClassifier(**SMALL).fit(["a", "b", "c", "d"], ["x", "y", "x", "y"], sample_weight=weights)


def test_weights_are_a_column_of_the_file(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("text,label,trust\none,a,1\ntwo,b,0.5\nthree,a,2\n")
    dataset = levcert.load_dataset(path, weight_column="trust", test_share=0.0)
    assert list(dataset.train.weights) == [1, 0.5, 2]
    assert dataset.train.fingerprint != levcert.load_dataset(path, test_share=0.0).train.fingerprint
    path.write_text("text,label,trust\none,a,1\ntwo,b,\n")
    with pytest.raises(InputError, match="line 3: the weight is not a number of at least 0"):
        levcert.load_dataset(path, weight_column="trust")
