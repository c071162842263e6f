"""Tensors and a JSON header in one safetensors file, with a checksum of both: model files and checkpoints.

The header is JSON under one metadata key.  Its field ``sha256`` is the SHA-256 of the other fields (as JSON with sorted
keys) and of name, type, shape and bytes of every tensor, in the order of their names.  A file is read once: what is
checked, against the checksum or a signature, is what is used.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from levcert.errors import InputError
from levcert.files.atomic import atomic_path, existing_file
from levcert.files.signature import check_signature

Fields = dict[str, Any]
Tensors = dict[str, npt.NDArray[Any]]

CHECKSUM: Final = "sha256"
_LARGEST_HEADER: Final = 1 << 25  # bytes: an alphabet of all of Unicode takes 13 MB


def write_tensors(path: Path, key: str, fields: Fields, tensors: Mapping[str, npt.NDArray[Any]]) -> None:
    """Write a file completely or not at all; a full disk is one sentence, and a file that was there stays."""
    from safetensors import SafetensorError
    from safetensors.numpy import save_file

    contiguous = {name: np.asarray(tensor, order="C") for name, tensor in tensors.items()}
    header = fields | {CHECKSUM: checksum(fields, contiguous)}
    try:
        with atomic_path(path) as part:
            save_file(contiguous, part, metadata={key: json.dumps(header)})
    except (SafetensorError, OSError) as error:
        cause = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        kept = "the file that was there is unchanged" if path.exists() else "nothing was written"
        raise InputError(f"Cannot write {path} ({cause}); {kept}. Free some space, or choose another disk.") from None


def read_tensors(
    path: str | Path, key: str, trusted_key: str | Path | None = None, *, must_be_checked: bool = False
) -> tuple[Fields, Tensors]:
    """Return header and tensors; if there is a ``trusted_key``, only of a file with a signature by that key.

    The checksum must be right, and with ``must_be_checked`` there must be one; it is not part of what is returned.
    """
    from safetensors import SafetensorError
    from safetensors.numpy import load

    path = existing_file(path)
    raw = _bytes_of(path)
    if trusted_key is not None:
        check_signature(path, raw, trusted_key)
    try:
        tensors = load(raw)
        metadata = json.loads(raw[8 : 8 + int.from_bytes(raw[:8], "little")]).get("__metadata__") or {}
    except (SafetensorError, TypeError, ValueError, KeyError, AttributeError, RecursionError, OverflowError) as error:
        raise InputError(f"{path} is not a complete safetensors file: {error}.") from None
    if key not in metadata:
        raise InputError(f"{path} is a safetensors file, but levcert did not write it.")
    try:
        fields = json.loads(metadata[key], parse_constant=_refuse_constant)
        if not isinstance(fields, dict):
            raise TypeError(f"it is {type(fields).__name__}, not an object")
        expected = fields.pop(CHECKSUM, None)
        found = None if expected is None else checksum(fields, tensors)
    except (TypeError, ValueError, RecursionError) as error:
        raise InputError(f"The header of {path} is damaged: {error}.") from None
    if must_be_checked and expected is None:
        raise InputError(f"{path} has no checksum; an earlier version of levcert wrote it.")
    if found != expected:
        raise InputError(
            f"The contents of {path} do not match its checksum: the file is damaged, or was changed; get it again."
        )
    return fields, tensors


def checksum(fields: Fields, tensors: Mapping[str, npt.NDArray[Any]]) -> str:
    """Return the SHA-256 of a header and its tensors, in hexadecimal."""
    digest = hashlib.sha256()

    def add(part: bytes | memoryview) -> None:
        digest.update(len(part).to_bytes(8, "little"))
        digest.update(part)

    add(json.dumps(fields, sort_keys=True).encode("ascii"))
    for name, tensor in sorted(tensors.items()):
        little_endian = np.asarray(tensor, dtype=tensor.dtype.newbyteorder("<"), order="C")
        add(json.dumps([name, little_endian.dtype.str, tensor.shape]).encode("ascii"))
        add(little_endian.reshape(-1).view(np.uint8).data)
    return digest.hexdigest()


def _bytes_of(path: Path) -> bytes:
    """Return the contents of a regular file, if its header has an acceptable length."""
    if not path.is_file():
        raise InputError(f"{path} is not a regular file; copy it to one.")
    with path.open("rb") as file:
        first = file.read(8)
        length = int.from_bytes(first, "little")
        if len(first) < 8 or not 0 < length <= path.stat().st_size - 8:
            raise InputError(f"{path} is not a complete safetensors file: it ends before its header does.")
        if length > _LARGEST_HEADER:
            raise InputError(
                f"The header of {path} has {length:,} bytes, and no model needs more than {_LARGEST_HEADER:,}."
            )
        return first + file.read()


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is not a number that JSON has")
