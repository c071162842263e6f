"""Stored models are found by what they are, not by their names."""

from dataclasses import replace

import pytest

import levcert
from levcert.benchmark import cell_models
from levcert.benchmark.cell_models import NotStoredError, configuration, find, model_of
from levcert.benchmark.cell_texts import dataset_of, training_rows
from levcert.errors import InputError
from levcert.training.conv.config import TrainingConfig
from tests.benchmark.tiny_study import tiny_study

CELL, OTHER_SEED = tiny_study().cells[:2]


def test_a_trained_model_is_kept_and_found_again_under_any_name(tmp_path, monkeypatch):
    model = model_of(CELL, tmp_path)
    (stored,) = tmp_path.iterdir()
    renamed = stored.rename(tmp_path / "anything.safetensors")
    (tmp_path / "broken.safetensors").write_bytes(renamed.read_bytes()[:500])
    (tmp_path / "aaa.checkpoint").write_bytes(b"of a run that goes on")
    monkeypatch.setattr(cell_models, "_train", None)
    assert (model_of(CELL, tmp_path).scores(["12ab"]) == model.scores(["12ab"])).all()
    with pytest.raises(NotStoredError):
        model_of(OTHER_SEED, tmp_path, may_train=False)


def test_configuration_data_and_kind_must_match(tmp_path):
    model_of(CELL, tmp_path)
    config = configuration(CELL)
    fingerprint = training_rows(dataset_of("toy"), config)[0].fingerprint
    assert find(tmp_path, "conv", config, fingerprint) is not None
    assert find(tmp_path, "conv", config | {"threads": 2}, fingerprint) is not None
    assert find(tmp_path, "conv", config | {"epochs": 2}, fingerprint) is None
    assert find(tmp_path, "conv", config, "other data") is None
    assert find(tmp_path, "votes", config, fingerprint) is None


@pytest.mark.parametrize("training", [{}, {"config": {"unknown": 1}, "data": {"train": "x"}}])
def test_files_with_other_headers_are_passed_over(tmp_path, training):
    alphabet = levcert.Alphabet("ab")
    levcert.ConvModel(alphabet, [[1.0], [2.0]], [[[[1.0]]]], [[1.0], [0.0]], training=training).save(
        tmp_path / "other.safetensors"
    )
    assert find(tmp_path, "conv", configuration(CELL), "x") is None


def test_an_option_that_is_newer_than_a_file_has_its_default(tmp_path):
    model = model_of(CELL, tmp_path)
    (path,) = tmp_path.iterdir()
    older = {name: value for name, value in model.training.config.items() if name != "peak"}
    model.training = replace(model.training, config=older)
    model.save(path)
    model_of(CELL, tmp_path, may_train=False)


def test_votes_are_kept_and_found_as_well(tmp_path):
    votes = {"dataset": "toy", "texts": "first 4", "model": "votes", "target_distance": 2, "table_bits": 12}
    cell = tiny_study(grid=[votes | {"seed": 1, "measures": ["clean"]}]).cells[0]
    model = model_of(cell, tmp_path)
    again = model_of(cell, tmp_path, may_train=False)
    assert (again.scores(["12ab"]) == model.scores(["12ab"])).all()


@pytest.mark.parametrize("options", [{}, {"validation_rows": 30}, {"cut": 9}])
def test_fingerprints_are_those_that_training_writes(options):
    toy = levcert.load_dataset("toy")
    config = TrainingConfig(epochs=1, kernel_size=3, filters=2, embedding_size=2).changed(options)
    model = levcert.train(toy, config, show_progress=False)
    assert model.training.data["train"] == training_rows(toy, config.to_dict())[0].fingerprint


def test_an_unknown_kind_is_named():
    cell = tiny_study(grid=[{**tiny_study().declaration["grid"][0], "model": "oracle"}]).cells[0]
    with pytest.raises(InputError, match="not 'oracle'"):
        configuration(cell)
