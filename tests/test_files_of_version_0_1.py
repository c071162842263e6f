"""What version 0.1 wrote can still be read: models of each kind, certificates in each format, a model of the results.

The files were written by the code before the modules moved into rooms.  They are never written again: if one of these
tests fails, readers have changed, not the files.
"""

import json
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest

import levcert

FOLDER = Path(__file__).with_name("files_of_version_0_1")
RESULTS = Path(__file__).parents[1] / "results" / "models"
EXPECTED = json.loads((FOLDER / "expected.json").read_text())


@pytest.mark.parametrize("name", EXPECTED["models"])
def test_a_model_gives_the_scores_it_gave(name):
    model, expected = levcert.load(FOLDER / f"{name}.safetensors"), EXPECTED["models"][name]
    assert (model.width, list(model.labels)) == (expected["width"], expected["labels"])
    scores = model.scores(EXPECTED["texts"])
    if name.startswith("votes"):  # whole numbers of 1/128: exact on every machine
        assert scores.tolist() == expected["scores"]
    else:
        np.testing.assert_allclose(scores, expected["scores"], rtol=1e-9, atol=1e-12)
    assert model.predict(EXPECTED["texts"]).tolist() == expected["predicted"]


def test_there_is_a_model_of_each_kind_and_of_both_forms_of_votes():
    models = [levcert.load(FOLDER / f"{name}.safetensors") for name in EXPECTED["models"]]
    assert {type(model) for model in models} == {levcert.ConvModel, levcert.VoteModel}
    assert {model.alphabet == levcert.Alphabet.bytes() for model in models} == {True, False}
    assert b"used_rows" in (FOLDER / "votes-bytes.safetensors").read_bytes()


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
@pytest.mark.parametrize("name", ["certificates", "certificates-of-bytes"])
def test_certificates_are_read_as_they_were_written(name, ending):
    rows = levcert.Certificates.read(FOLDER / f"{name}.{ending}")
    assert len(rows) == len(EXPECTED[name])
    for row, expected in zip(rows, EXPECTED[name], strict=True):
        fields = {key: value.hex() if isinstance(value, bytes) else value for key, value in asdict(row).items()}
        assert {key: fields[key] for key in expected} == expected


def test_what_moved_since_0_1_works_with_a_warning():
    model = levcert.load(FOLDER / "votes.safetensors")
    with pytest.warns(DeprecationWarning, match=r"model\.training\.config"):
        assert model.training["config"] == dict(model.training.config)
    with pytest.warns(DeprecationWarning, match="Operation.INSERT"):
        assert levcert.Edit("insert", 0, "x").operation == "insert"
    with pytest.warns(DeprecationWarning, match="Operation.INSERT"):
        assert levcert.Edit("insert", 0, "x").operation != "delete"
    assert levcert.Operation.INSERT == 1
    assert {levcert.Operation.INSERT: 0}[levcert.Operation.INSERT] == 0


@pytest.mark.skipif(not RESULTS.is_dir(), reason="installed without results")
def test_the_stored_models_of_the_results_are_loaded():
    files = sorted(RESULTS.glob("*.safetensors"))
    assert files
    for path in files:
        assert len(set(levcert.load(path).labels)) == 2
    assert levcert.load(files[0]).training.config["epochs"] > 0
