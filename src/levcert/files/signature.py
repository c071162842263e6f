"""Detached signatures of files: Ed25519, made with openssl (docs/formats.md), checked with ``cryptography``."""

from __future__ import annotations

from pathlib import Path

from levcert.errors import InputError
from levcert.files.atomic import existing_file


def signature_path(path: Path) -> Path:
    """Return where the signature of a file is expected: beside it, with .sig added to its name."""
    return path.with_name(path.name + ".sig")


def check_signature(path: Path, contents: bytes, trusted_key: str | Path) -> None:
    """Refuse a file without a signature of its ``contents`` by the trusted key (a public key as PEM)."""
    try:
        from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
        from cryptography.hazmat.primitives.serialization import load_pem_public_key
    except ModuleNotFoundError:
        raise InputError("Checking signatures needs cryptography: pip install 'levcert[sign]'.") from None
    written = existing_file(trusted_key).read_bytes()
    try:
        key = load_pem_public_key(written)
    except (ValueError, UnsupportedAlgorithm):
        key = None
    if not isinstance(key, Ed25519PublicKey):
        raise InputError(f"{trusted_key} is not an Ed25519 public key in PEM; make one with openssl pkey -pubout.")
    signature = signature_path(path)
    if not signature.is_file():
        raise InputError(f"{path} is not signed: there is no {signature}. Ask for it, or leave out the trusted key.")
    with signature.open("rb") as file:
        made = file.read(65)  # a signature has 64 bytes
    try:
        key.verify(made, contents)
    except InvalidSignature:
        raise InputError(
            f"{signature} is not a signature of {path} by the key {trusted_key}: the model, its signature or the key "
            "is another one. Do not use this model."
        ) from None
