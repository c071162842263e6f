"""Probabilities: the temperature minimises the log loss, labels stay, and files of models carry it."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import levcert
from levcert import Dataset, InputError, LevenshteinClassifier, Split
from levcert.models.calibration import expected_calibration_error, fitted_temperature, log_loss, probabilities
from levcert.models.training_record import TrainingRecord
from tests.slow_twins import random_votes

SMALL = {"orders": (2, 3), "table_bits": 12, "epochs": 2}


def smoothed_loss(scores, labels, temperature):
    """The slow twin: the log loss with the true class at (n + 1)/(n + 2)."""
    rows, classes = scores.shape
    total = 0.0
    for row, label in zip(scores / temperature, labels, strict=True):
        logs = row - np.logaddexp.reduce(row)
        rest = 1 / (rows + 2)
        total -= sum((1 - rest if y == label else rest / (classes - 1)) * logs[y] for y in range(classes))
    return total


@given(st.integers(0, 10**6), st.integers(2, 4), st.integers(1, 30), st.sampled_from([0.01, 1.0, 300.0]))
@settings(max_examples=60)
def test_no_other_temperature_has_a_lower_log_loss(seed, classes, rows, scale):
    rng = np.random.default_rng(seed)
    scores, labels = rng.normal(size=(rows, classes)) * scale, rng.integers(classes, size=rows)
    best = fitted_temperature(scores, labels)
    assert 0.9e-6 < best < 1.1e9
    loss = smoothed_loss(scores, labels, best)
    for factor in (0.5, 0.9, 1.1, 2.0):
        assert loss <= smoothed_loss(scores, labels, best * factor) + 1e-6 * max(1, abs(loss))


def test_scores_that_separate_all_rows_do_not_ask_for_certainty():
    scores = np.array([[5.0, 0.0], [0.0, 5.0], [3.0, 1.0]])
    chances = probabilities(scores, fitted_temperature(scores, np.array([0, 1, 0])))
    assert chances.max() < 0.99


def test_measures_of_probabilities():
    chances, labels = np.array([[0.8, 0.2], [0.8, 0.2], [0.4, 0.6], [0.0, 1.0]]), np.array([0, 1, 1, 1])
    assert np.isclose(log_loss(chances, labels), -np.log([0.8, 0.2, 0.6, 1.0]).mean())
    # two texts at confidence 0.8 of which one is right, one at 0.6 which is, one at 1 which is
    assert np.isclose(expected_calibration_error(chances, labels), (2 * abs(0.8 - 0.5) + abs(0.6 - 1)) / 4)
    assert log_loss(np.array([[1.0, 0.0]]), np.array([1])) < 1000


def noisy_toy():
    """The toy, with a fifth of the labels wrong: who is always sure pays for it."""
    toy, rng = levcert.load_dataset("toy"), np.random.default_rng(1)
    splits = [
        Split(split.texts, np.where(rng.random(len(split)) < 0.2, 1 - split.labels, split.labels))
        for split in (toy.train, toy.test)
    ]
    return Dataset("noisy", toy.labels, *splits, "")


def test_training_calibrates_and_the_file_remembers(tmp_path):
    toy = noisy_toy()
    plain, calibrated = (levcert.train(toy, **SMALL, calibration=choice) for choice in ("none", "auto"))
    assert (plain.votes == calibrated.votes).all()
    assert plain.training.temperature == 1
    assert calibrated.training.metrics["calibration"]["rows"] == 200
    calibrated.save(tmp_path / "model.safetensors")
    loaded = levcert.load(tmp_path / "model.safetensors")
    assert loaded.training.temperature == calibrated.training.temperature != 1
    chances = loaded.probabilities(toy.test.texts)
    assert (np.array(loaded.labels)[chances.argmax(axis=1)] == loaded.predict(toy.test.texts)).all()
    assert log_loss(chances, toy.test.labels) < log_loss(plain.probabilities(toy.test.texts), toy.test.labels)


def test_validation_rows_are_what_it_is_fitted_to():
    toy = levcert.load_dataset("toy")
    model = levcert.train(toy, **SMALL, validation_rows=50)
    assert model.training.metrics["calibration"]["rows"] == 50
    classifier = LevenshteinClassifier(**SMALL).fit(list(toy.train.texts[:60]), toy.train.labels[:60])
    assert classifier.model_.training.metrics["calibration"]["rows"] == 30  # half of them
    assert np.allclose(classifier.predict_proba(["abc"]), classifier.model_.probabilities(["abc"]))


@pytest.mark.parametrize("temperature", [0, -1, "hot", True, None, float("inf")])
def test_a_temperature_that_is_none_is_refused(temperature):
    model = random_votes(1)
    model.training = TrainingRecord(metrics={"calibration": {"temperature": temperature}})
    with pytest.raises(InputError, match="train the model again"):
        model.probabilities(["a"])
    assert json.dumps(model.training.to_dict())
