"""Samples in the model file: texts of each class that the model labels correctly, unless nobody wants any."""

import pytest

import levcert
from levcert import InputError

SMALL = {"orders": (2, 3), "table_bits": 12, "epochs": 2, "calibration": "none"}


def test_a_model_keeps_samples_of_each_class(tmp_path):
    toy = levcert.load_dataset("toy")
    model = levcert.train(toy, **SMALL, samples=2)
    model.save(tmp_path / "model.safetensors")
    samples = levcert.load(tmp_path / "model.safetensors").training.samples
    assert sorted(label for label, _ in samples) == sorted(list(toy.labels) * 2)
    for label, text in samples:
        assert text in toy.test.texts
        assert model.predict([text])[0] == label


def test_nobody_has_to_keep_texts_in_a_model():
    model = levcert.train(levcert.load_dataset("toy"), **SMALL, samples=0)
    assert model.training.samples == ()
    assert "samples" not in model.training.data
    with pytest.raises(InputError, match="samples must be at least 0"):
        levcert.train(levcert.load_dataset("toy"), samples=-1)
