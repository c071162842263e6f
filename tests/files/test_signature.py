import shutil
import subprocess

import numpy as np
import pytest

import levcert
from levcert import Alphabet, InputError

pytest.importorskip("cryptography")
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat


def _pem(key):
    return key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)


@pytest.fixture
def signed(tmp_path):
    """Return a private key, the path of its public key, and of a model that it has signed."""
    path, public = tmp_path / "m.safetensors", tmp_path / "key.pem"
    levcert.VoteModel(Alphabet("ab"), np.ones((1, 4096, 2), np.int8), [2]).save(path)
    key = Ed25519PrivateKey.generate()
    public.write_bytes(_pem(key))
    (tmp_path / "m.safetensors.sig").write_bytes(key.sign(path.read_bytes()))
    return key, public, path


def test_a_signed_model_is_read(signed):
    _, public, path = signed
    assert levcert.load(path, trusted_key=public).labels == ("0", "1")


def test_nothing_else_is_read(signed, tmp_path):
    _, public, path = signed
    signature = tmp_path / "m.safetensors.sig"
    made, contents = signature.read_bytes(), path.read_bytes()
    path.write_bytes(contents[:-1] + b"\x02")
    with pytest.raises(InputError, match="is not a signature of"):
        levcert.load(path, trusted_key=public)
    path.write_bytes(contents)
    for wrong in (made[:-1], made + b"\n", b"", made[:-1] + bytes([made[-1] ^ 1])):
        signature.write_bytes(wrong)
        with pytest.raises(InputError, match="is not a signature of"):
            levcert.load(path, trusted_key=public)
    signature.unlink()
    with pytest.raises(InputError, match="is not signed"):
        levcert.load(path, trusted_key=public)
    levcert.load(path)
    signature.write_bytes(made)
    public.write_bytes(_pem(Ed25519PrivateKey.generate()))
    with pytest.raises(InputError, match="is not a signature of"):
        levcert.load(path, trusted_key=public)
    for key in (b"junk", _pem(X25519PrivateKey.generate())):
        public.write_bytes(key)
        with pytest.raises(InputError, match="not an Ed25519 public key"):
            levcert.load(path, trusted_key=public)
    with pytest.raises(InputError, match="does not exist"):
        levcert.load(path, trusted_key=tmp_path / "none.pem")


def test_the_commands_of_the_docs_sign_a_model(signed, tmp_path):
    """The lines of docs/formats.md, with openssl."""
    if shutil.which("openssl") is None:
        pytest.skip("there is no openssl here")
    for line in (
        "openssl genpkey -algorithm ed25519 -out private.pem",
        "openssl pkey -in private.pem -pubout -out trusted.pem",
        "openssl pkeyutl -sign -rawin -inkey private.pem -in m.safetensors -out m.safetensors.sig",
    ):
        subprocess.run(line.split(), cwd=tmp_path, check=True, capture_output=True)
    levcert.load(tmp_path / "m.safetensors", trusted_key=tmp_path / "trusted.pem")
