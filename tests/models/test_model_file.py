import json

import numpy as np
import pytest
from safetensors.numpy import save_file

from levcert import Alphabet, InputError
from levcert.models.class_labels import check_labels
from levcert.models.model_file import Header, read_model, take, write_model
from levcert.models.training_record import TrainingRecord

RECORD = TrainingRecord.of({"seed": 1, "metrics": {"accuracy": 0.5}})
HEADER = Header("conv", Alphabet("ab é"), ("x", "y"), {"activation": "relu"}, RECORD)
TENSORS = {"head": np.arange(6, dtype=np.float64).reshape(2, 3), "kernel": np.ones((1, 2), dtype=np.float32)}


def test_a_model_file_gives_back_what_was_written(tmp_path):
    path = tmp_path / "model.safetensors"
    write_model(path, HEADER, TENSORS)
    header, tensors = read_model(path)
    assert header == HEADER
    assert tensors.keys() == TENSORS.keys()
    for name, tensor in tensors.items():
        np.testing.assert_array_equal(tensor, TENSORS[name])
        assert tensor.dtype == TENSORS[name].dtype
    assert list(tmp_path.iterdir()) == [path]


def test_byte_alphabets_and_transposed_tensors_are_stored(tmp_path):
    path = tmp_path / "model.safetensors"
    write_model(path, Header("votes", Alphabet.bytes(), ("x", "y")), {"head": TENSORS["head"].T})
    header, tensors = read_model(path)
    assert header.alphabet == Alphabet.bytes()
    np.testing.assert_array_equal(tensors["head"], TENSORS["head"].T)


def _write(path, metadata, tensors=TENSORS):
    save_file(tensors, path, metadata=metadata)


def test_another_version_is_refused(tmp_path):
    path = tmp_path / "model.safetensors"
    fields = HEADER.to_fields() | {"format_version": 99}
    _write(path, {"levcert": json.dumps(fields)})
    with pytest.raises(InputError, match=r"version 99.*reads version 1"):
        read_model(path)


@pytest.mark.parametrize(
    ("metadata", "message"),
    [
        ({}, "did not write it"),
        ({"levcert": "no json"}, "damaged"),
        ({"levcert": "[]"}, "damaged"),
        ({"levcert": '{"format_version": 1}'}, "damaged"),
        (
            {"levcert": '{"format_version": 1, "alphabet": {"symbols": "aa"}, "labels": [], "kind": "conv"}'},
            "twice",
        ),
        (
            {"levcert": '{"format_version": 1, "alphabet": {"kind": "bytes"}, "labels": [], "kind": "x", "y": 1}'},
            "damaged",
        ),
    ],
)
def test_damaged_headers_are_refused(tmp_path, metadata, message):
    path = tmp_path / "model.safetensors"
    _write(path, metadata)
    with pytest.raises(InputError, match=message):
        read_model(path)


def test_files_of_another_sort_are_refused(tmp_path):
    junk = tmp_path / "junk.safetensors"
    junk.write_bytes(b"\x00\xff" * 100)
    with pytest.raises(InputError, match="not a complete safetensors file"):
        read_model(junk)
    whole = tmp_path / "whole.safetensors"
    write_model(whole, HEADER, TENSORS)
    junk.write_bytes(whole.read_bytes()[:-5])
    with pytest.raises(InputError, match="not a complete safetensors file"):
        read_model(junk)
    with pytest.raises(InputError, match="folder"):
        read_model(tmp_path)


def test_nan_is_neither_written_nor_read(tmp_path):
    path = tmp_path / "model.safetensors"
    broken = {"head": np.array([np.nan])}
    with pytest.raises(InputError, match="learning rate"):
        write_model(path, HEADER, broken)
    assert not list(tmp_path.iterdir())
    _write(path, {"levcert": json.dumps(HEADER.to_fields())}, broken)
    with pytest.raises(InputError, match="finite numbers"):
        read_model(path)


def test_headers_are_plain_json(tmp_path):
    with pytest.raises(InputError, match="JSON"):
        write_model(tmp_path / "m.safetensors", Header("conv", Alphabet("ab"), ("x", "y"), {"f": print}), TENSORS)
    with pytest.raises(InputError, match=r"must end in \.safetensors"):
        write_model(tmp_path / "m.pt", HEADER, TENSORS)


def test_take_checks_names_and_shapes():
    assert take(dict(TENSORS), "head", (2, None)).shape == (2, 3)
    with pytest.raises(InputError, match="no tensor 'tail'"):
        take(dict(TENSORS), "tail", (1,))
    with pytest.raises(InputError, match=r"shape \(2, 3\) where 2 × 4"):
        take(dict(TENSORS), "head", (2, 4))
    with pytest.raises(InputError, match="where any is needed"):
        take(dict(TENSORS), "head", (None,))


def test_an_alphabet_that_json_cannot_hold_is_not_written(tmp_path):
    header = Header("conv", Alphabet("\ud83d\ude00"), ("x", "y"))
    with pytest.raises(InputError, match="surrogates"):
        write_model(tmp_path / "m.safetensors", header, TENSORS)


@pytest.mark.parametrize("version", [True, 1.0, "1", None, [1]])
def test_the_version_is_an_integer(tmp_path, version):
    path = tmp_path / "model.safetensors"
    _write(path, {"levcert": json.dumps(HEADER.to_fields() | {"format_version": version})})
    with pytest.raises(InputError, match="format version"):
        read_model(path)


def test_numbers_that_json_does_not_have_are_refused(tmp_path):
    path = tmp_path / "model.safetensors"
    _write(path, {"levcert": json.dumps(HEADER.to_fields()).replace("0.5", "NaN")})
    with pytest.raises(InputError, match="NaN is not a number"):
        read_model(path)


def test_a_label_of_a_megabyte_is_refused():
    with pytest.raises(InputError, match="at most 1,000 characters") as caught:
        check_labels(["x", "y" * 1_000_000])
    assert len(str(caught.value)) < 200
    with pytest.raises(InputError, match="distinct labels") as caught:
        check_labels(["x"] * 1_000_000)
    assert len(str(caught.value)) < 2100


def test_an_alphabet_with_a_duplicate_is_refused_in_linear_time():
    everything = "".join(map(chr, range(0x20000)))
    with pytest.raises(InputError, match="twice"):
        Alphabet(everything + "a", folding=False)


@pytest.mark.parametrize("folding", [1, "yes", None])
def test_folding_is_true_or_false(folding):
    with pytest.raises(InputError, match="folding must be"):
        Alphabet("ab", folding=folding)
