import errno
import json
import os
import subprocess
import sys

import numpy as np
import pytest
from safetensors import SafetensorError
from safetensors.numpy import load, save_file

from levcert import InputError
from levcert.files import tensor_file
from levcert.files.tensor_file import checksum, read_tensors, write_tensors

FIELDS = {"name": "é", "size": 3, "share": 0.1}
TENSORS = {"b": np.arange(6, dtype=np.float32).reshape(2, 3), "a": np.zeros((0, 2), dtype=np.int8), "c": np.array(7)}


def test_what_is_written_is_read(tmp_path):
    path = tmp_path / "x.safetensors"
    write_tensors(path, "key", FIELDS, TENSORS)
    first = path.read_bytes()
    fields, tensors = read_tensors(path, "key", must_be_checked=True)
    assert fields == FIELDS
    for name, tensor in TENSORS.items():
        np.testing.assert_array_equal(tensors[name], tensor)
    write_tensors(path, "key", FIELDS, TENSORS)
    assert path.read_bytes() == first


def _header(path):
    raw = path.read_bytes()
    return json.loads(json.loads(raw[8 : 8 + int.from_bytes(raw[:8], "little")])["__metadata__"]["key"])


def test_every_change_of_a_header_or_tensor_is_found(tmp_path):
    path = tmp_path / "x.safetensors"
    write_tensors(path, "key", FIELDS, TENSORS)
    header = _header(path)
    changed = {name: tensor.copy() for name, tensor in TENSORS.items()}
    changed["b"][1, 2] = 9
    shaped = TENSORS | {"b": TENSORS["b"].reshape(3, 2)}
    typed = TENSORS | {"b": TENSORS["b"].view(np.int32)}
    renamed = {"z" if name == "b" else name: tensor for name, tensor in TENSORS.items()}
    for tensors in (changed, shaped, typed, renamed):
        save_file(tensors, path, metadata={"key": json.dumps(header)})
        with pytest.raises(InputError, match="do not match its checksum"):
            read_tensors(path, "key")
    save_file(TENSORS, path, metadata={"key": json.dumps(header | {"size": 4})})
    with pytest.raises(InputError, match="do not match its checksum"):
        read_tensors(path, "key")


def test_a_file_without_a_checksum_is_read_only_where_that_is_allowed(tmp_path):
    path = tmp_path / "x.safetensors"
    save_file(TENSORS, path, metadata={"key": json.dumps(FIELDS)})
    assert read_tensors(path, "key")[0] == FIELDS
    with pytest.raises(InputError, match="has no checksum"):
        read_tensors(path, "key", must_be_checked=True)


def test_the_checksum_does_not_depend_on_the_order_of_names():
    assert checksum(FIELDS, TENSORS) == checksum(dict(reversed(FIELDS.items())), dict(reversed(TENSORS.items())))


@pytest.mark.parametrize(
    ("contents", "message"),
    [
        (b"", "ends before its header"),
        (b"\x01", "ends before its header"),
        ((2**63).to_bytes(8, "little") + b"{}", "ends before its header"),
        ((2).to_bytes(8, "little") + b"{}", "did not write it"),
        ((2).to_bytes(8, "little") + b"[]", "not a complete safetensors file"),
        ((4).to_bytes(8, "little") + b"\xff\xfe{}", "not a complete safetensors file"),
    ],
)
def test_other_files_are_refused(tmp_path, contents, message):
    path = tmp_path / "x.safetensors"
    path.write_bytes(contents)
    with pytest.raises(InputError, match=message):
        read_tensors(path, "key")


def test_a_header_is_read_only_if_it_is_not_absurdly_long(tmp_path, monkeypatch):
    path = tmp_path / "x.safetensors"
    write_tensors(path, "key", FIELDS, TENSORS)
    monkeypatch.setattr(tensor_file, "_LARGEST_HEADER", 50)
    with pytest.raises(InputError, match="no model needs more than 50"):
        read_tensors(path, "key")


@pytest.mark.skipif(not os.path.exists("/dev/zero"), reason="there is no /dev/zero here")
def test_what_never_ends_is_not_read():
    with pytest.raises(InputError, match="not a regular file"):
        read_tensors("/dev/zero", "key")


@pytest.mark.parametrize("error", [SafetensorError("IoError(No space)"), OSError(errno.ENOSPC, "No space left")])
def test_a_full_disk_is_one_sentence_and_the_old_file_stays(tmp_path, monkeypatch, error):
    path = tmp_path / "x.safetensors"
    write_tensors(path, "key", FIELDS, TENSORS)
    before = path.read_bytes()

    def full(*arguments, **options):
        raise error

    monkeypatch.setattr("safetensors.numpy.save_file", full)
    with pytest.raises(InputError, match=r"No space.*is unchanged"):
        write_tensors(path, "key", FIELDS | {"size": 5}, TENSORS)
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == [path.name]


def test_a_disk_that_is_really_full_ends_training_with_one_sentence(tmp_path):
    """A limit on the size of files stands for the full disk; the checkpoint would have some megabytes."""
    code = (
        "import resource, sys; from levcert.cli.app import main; from levcert.training.votes import train as votes\n"
        "votes.SECONDS_BETWEEN_CHECKPOINTS, save = 0.0, votes.save_checkpoint\n"
        "def limited(*state): resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, 50_000)); save(*state)\n"
        "votes.save_checkpoint = limited\n"
        "sys.argv = ['levcert', 'train', 'toy', '-o', 'm.safetensors', '--table-bits', '12']; main()"
    )
    ended = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert "Cannot write m.checkpoint" in ended.stderr
    assert "Traceback" not in ended.stderr
    assert not os.listdir(tmp_path)


def test_files_have_the_format_that_others_read(tmp_path):
    path = tmp_path / "x.safetensors"
    write_tensors(path, "key", FIELDS, TENSORS)
    np.testing.assert_array_equal(load(path.read_bytes())["b"], TENSORS["b"])
