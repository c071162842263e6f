"""The paper's own AG-News weights: its published margins, radii and verdicts for the first ten test texts."""

import csv
import json

import numpy as np
import pytest
from safetensors import safe_open

import levcert
from levcert import Alphabet, ConvModel, load_dataset
from levcert.certifiers.base import Batch
from levcert.certifiers.interval_huang_2019 import Interval, feature_box
from levcert.certifiers.lipslev import LipsLev
from levcert.models.norms import embedding_constant, head_constant, kernel_constant
from levcert.text.threat import Threat
from tests.conftest import SHARED


@pytest.fixture(scope="module")
def model():
    path = SHARED / "reference" / "ag_news_p2.safetensors"
    if not path.exists():
        pytest.skip(f"the paper's weights are not at {path}")
    with safe_open(path, framework="np") as file:
        E, K, W = (file.get_tensor(name).astype(np.float64) for name in ("embedding", "kernel", "head"))
        facts = file.metadata()
    return ConvModel(
        Alphabet(facts["alphabet"]),
        E / embedding_constant(E, 2),
        [K / kernel_constant(K, 2)],
        W / head_constant(W, 2),
        labels=json.loads(facts["labels"]),
    )


@pytest.fixture(scope="module")
def texts(shared_data):
    return load_dataset("ag_news", shared_data).test.texts[:10]


@pytest.fixture(scope="module")
def expected():
    with (SHARED / "reference" / "ag_news_p2_expected.csv").open() as file:
        return [row for row in csv.DictReader(file) if row["margin"]]


def _numbers(expected):
    return [int(row["test_row"]) for row in expected]


def test_labels_and_margins(model, texts, expected):
    rows = levcert.certify(model, texts, "lipslev")
    for row in expected:
        number = int(row["test_row"])
        assert model.labels.index(rows[number].label) == int(row["pred_label"])
        assert rows[number].margin == pytest.approx(float(row["margin"]), abs=1e-4)


def test_lipslev_radii(model, texts, expected):
    radii = levcert.certify(model, texts, LipsLev(p=2)).radius
    assert [radii[n] for n in _numbers(expected)] == [float(row["lipslev_radius"]) for row in expected]


def test_brute_force_verdicts_are_those_of_the_exact_search(model, texts, expected):
    radii = levcert.certify(model, texts, "exact", max_distance=1).radius
    assert [radii[n] for n in _numbers(expected)] == [float(row["bruteforce_radius"]) for row in expected]


def test_interval_verdicts_and_bounds(model, texts, expected):
    """The released code bounds each logit on its own and stops at the first class that fails."""
    radii = levcert.certify(model, texts, Interval(elide=False)).radius
    assert [radii[n] for n in _numbers(expected)] == [float(row["ibp_radius"]) for row in expected]
    batch = Batch(model, texts, Threat())
    for row in expected:
        low, high = feature_box(batch, model, int(row["test_row"]))
        W, y = model.head, int(row["pred_label"])
        own = np.maximum(W[y], 0) @ low + np.minimum(W[y], 0) @ high
        bounds = own - np.delete(np.maximum(W, 0) @ high + np.minimum(W, 0) @ low, y)
        published = float(row["ibp_margin"])
        wanted = bounds.min() if published > 0 else bounds[bounds <= 0][0]
        assert published == pytest.approx(wanted, abs=1e-4)


def test_charmer_finds_what_the_released_charmer_found(model, texts, expected):
    found = levcert.attack(model, texts, "charmer", max_distance=2)
    for row in expected:
        result = found[int(row["test_row"])]
        after_two = int(float(row["charmer_label_after_2"]))
        assert result.success == (after_two != int(row["pred_label"]))
        if result.success:
            assert model.labels.index(result.new_label) == after_two
            assert (result.distance == 1) == (float(row["charmer_label_after_1"]) != int(row["pred_label"]))


def test_the_sandwich_on_real_texts(model, texts):
    certified = levcert.certify(model, texts, "lipschitz").radius
    exact = levcert.certify(model, texts, "exact")
    for name in ("charmer", "greedy"):
        for row, low, result in zip(exact, certified, levcert.attack(model, texts, name, max_distance=2), strict=True):
            assert low <= row.radius
            if result.success:
                assert result.distance > row.radius
