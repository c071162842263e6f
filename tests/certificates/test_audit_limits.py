"""Limits of the audit: whatever a model file or a row says, it takes bounded memory and time."""

import json
import struct
from unittest import mock

import numpy as np
import pytest

import levcert
from levcert import Alphabet, ConvModel, InputError
from levcert.certificates.audit import audit, read_classifier
from tests.certificates.audit_cases import row, votes


@pytest.fixture
def model(tmp_path):
    model = votes(Alphabet("ab"), 0)
    model.save(tmp_path / "model.safetensors")
    return tmp_path / "model.safetensors", model


def rewritten(path, change):
    """Write a model file again after a change of its header (a dict) or of its data."""
    content = path.read_bytes()
    (length,) = struct.unpack("<Q", content[:8])
    header, data = json.loads(content[8 : 8 + length]), bytearray(content[8 + length :])
    change(header, data)
    encoded = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(encoded)) + encoded + data)
    return path


def test_a_wrong_checksum(model):
    def change(header, data):
        data[0] ^= 1

    with pytest.raises(InputError, match="do not match its checksum"):
        read_classifier(rewritten(model[0], change))


def test_tensors_that_share_their_bytes(model):
    """A thousand names for the same megabytes would take a thousand times the memory."""

    def change(header, data):
        name = next(name for name in header if name != "__metadata__")
        header.update({f"copy {number}": header[name] for number in range(3)})

    with pytest.raises(InputError, match="lies outside the file or over another"):
        read_classifier(rewritten(model[0], change))


def test_a_long_shape(model):
    def change(header, data):
        next(entry for name, entry in header.items() if name != "__metadata__")["shape"] = [10**9] * 1000

    with pytest.raises(InputError, match="has not the size it says"):
        read_classifier(rewritten(model[0], change))


def test_a_header_that_no_model_needs(tmp_path):
    with (tmp_path / "model.safetensors").open("wb") as file:
        file.write(struct.pack("<Q", 2**26))
        file.truncate(2**26 + 8)
    with pytest.raises(InputError, match="more than any model needs"):
        read_classifier(tmp_path / "model.safetensors")


def test_not_a_file():
    with pytest.raises(InputError, match="it is not a regular file"):
        read_classifier("/dev/zero")


def test_wide_windows(tmp_path):
    rng = np.random.default_rng(0)
    ConvModel(Alphabet("ab"), rng.normal(size=(2, 1)), [rng.normal(size=(9, 1, 1))], rng.normal(size=(2, 1))).save(
        tmp_path / "model.safetensors"
    )
    with (
        mock.patch("levcert.certificates.audit._WIDEST_WINDOW", 8),
        pytest.raises(InputError, match="its windows are too wide"),
    ):
        read_classifier(tmp_path / "model.safetensors")


def test_long_rows_of_a_file(model, tmp_path):
    path, loaded = model
    for ending in ("jsonl", "csv"):
        levcert.certify(loaded, ["ab" * 50]).save(tmp_path / f"rows.{ending}")
        assert len(audit(path, tmp_path / f"rows.{ending}", trials=3, texts=10).findings) == 1
        with (
            mock.patch("levcert.certificates.audit._LONGEST_LINE", 90),
            pytest.raises(InputError, match="its line is longer than 90 characters"),
        ):
            audit(path, tmp_path / f"rows.{ending}")


def test_long_texts_and_far_counterexamples_are_not_checked(model):
    path, loaded = model
    label = str(loaded.predict(["ab" * 30])[0])
    with mock.patch("levcert.certificates.audit._LONGEST_TEXT", 59):
        assert str(audit(path, [row("ab" * 30, label, 0)]).findings[0]).endswith("is too long for the audit")
    far = row("ab" * 30, label, 0, upper=10**9, counterexample="a")
    with mock.patch("levcert.certificates.audit._MOST_STEPS", 1000):
        assert "too many edits away" in str(audit(path, [far]).findings[0])


def test_long_texts_are_looked_at_less_often(model):
    path, loaded = model
    label = str(loaded.predict(["ab" * 30])[0])
    with mock.patch("levcert.certificates.audit._MOST_UNITS", 61 * 5):
        found = audit(path, [row("ab" * 30, label, 0) | {"radius": 10**12}], texts=100).findings[0]
    assert found.looked_at <= 2 * 5 + 2
