"""A model is one ``.safetensors`` file: tensors, and a header that says what they are.

The header is JSON under the metadata key ``levcert``; docs/formats.md lists its fields.  Reading a file runs no
code from it, does not need torch, and takes memory in proportion to the file (``check_room``).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from levcert.errors import InputError
from levcert.files.atomic import check_model_path
from levcert.files.tensor_file import Fields, Tensors, read_tensors, write_tensors
from levcert.models.class_labels import check_labels
from levcert.models.training_record import TrainingRecord
from levcert.text.alphabet import Alphabet

FORMAT_VERSION: Final = 1
_KEY: Final = "levcert"
_SMALLEST_ROOM: Final = 1 << 26  # bytes that even the smallest file may expand to
_EXPANSION: Final = 64  # times the bytes of its tensors that a larger file may expand to


@dataclass(frozen=True)
class Header:
    """Everything about a model that is not a tensor."""

    kind: str
    alphabet: Alphabet
    labels: tuple[str, ...]
    options: dict[str, Any] = field(default_factory=dict)  # what the kind of model needs to know, e.g. its activation
    training: TrainingRecord = field(default_factory=TrainingRecord)

    def to_fields(self) -> Fields:
        """Return what the file says, as JSON gives it back."""
        written = {"alphabet": self.alphabet.to_dict(), "training": self.training.to_dict()}
        fields = {"kind": self.kind, "labels": list(self.labels), "options": self.options} | written
        try:
            text = json.dumps({"format_version": FORMAT_VERSION} | fields, allow_nan=False)
        except (TypeError, ValueError) as error:
            raise InputError(f"The model's header cannot be written as JSON: {error}.") from None
        read: Fields = json.loads(text)
        if read["alphabet"] != fields["alphabet"]:
            raise InputError(
                "The alphabet contains a pair of surrogates, which JSON would read as one character; remove them."
            )
        return read

    @classmethod
    def from_fields(cls, fields: Fields) -> Header:
        version = fields.pop("format_version", None)
        if type(version) is not int or version != FORMAT_VERSION:
            raise InputError(
                f"The model has format version {version}, but this levcert reads version {FORMAT_VERSION}; "
                "install the version of levcert that wrote it, or train the model again."
            )
        kinds = {"kind": str, "alphabet": dict, "labels": list, "options": dict, "training": dict}
        for name, kind in kinds.items():
            if not isinstance(fields.get(name, kind()), kind):
                raise InputError(f"The field {name} of its header is {fields[name]!r}; the file is damaged.")
        fields["alphabet"] = Alphabet.from_dict(fields["alphabet"])
        fields["labels"] = check_labels(fields["labels"])
        fields["training"] = TrainingRecord.of(fields.get("training"))
        return cls(**fields)


def write_model(path: str | Path, header: Header, tensors: Mapping[str, npt.NDArray[Any]]) -> None:
    """Write a model file, completely or not at all."""
    path = Path(path)
    check_model_path(path)
    bad = sorted(name for name, tensor in tensors.items() if not np.isfinite(tensor).all())
    if bad:
        raise InputError(f"The tensors {bad} contain NaN or infinity; train again with a lower learning rate.")
    write_tensors(path, _KEY, header.to_fields(), tensors)


def read_model(path: str | Path, trusted_key: str | Path | None = None) -> tuple[Header, Tensors]:
    """Read a model file; any problem is reported in one sentence.

    Files of version 0.1 have no checksum and are read without one.
    """
    fields, tensors = read_tensors(path, _KEY, trusted_key)
    try:
        header = Header.from_fields(fields)
    except InputError as error:
        raise InputError(f"Cannot read the model {path}: {error}") from None
    except (TypeError, ValueError, KeyError, AttributeError, RecursionError) as error:
        raise InputError(f"The header of the model {path} is damaged: {error!r}.") from None
    for name, tensor in tensors.items():
        if tensor.dtype.kind not in "fiu" or not np.isfinite(tensor).all():
            raise InputError(f"The tensor {name!r} of the model {path} contains values that are not finite numbers.")
    return header, tensors


def room(stored: int) -> int:
    """Return how many bytes of tables a file with ``stored`` bytes of tensors may expand to."""
    return max(_SMALLEST_ROOM, _EXPANSION * stored)


def check_room(what: str, needed: int, tensors: Mapping[str, npt.NDArray[Any]]) -> None:
    """Refuse a model whose tables are out of proportion to its file, before they are made."""
    allowed = room(sum(tensor.nbytes for tensor in tensors.values()))
    if needed > allowed:
        raise InputError(
            f"{what} take {needed:,} bytes, and a file of this size may ask for {allowed:,}; the file is damaged."
        )


def take(tensors: Tensors, name: str, shape: tuple[int | None, ...]) -> npt.NDArray[Any]:
    """Remove and return the tensor ``name``, checked to have this shape (None: any size)."""
    if name not in tensors:
        raise InputError(f"The model file has no tensor {name!r}; it has {sorted(tensors)}.")
    tensor = tensors.pop(name)
    fits = tensor.ndim == len(shape) and all(want in (None, got) for want, got in zip(shape, tensor.shape, strict=True))
    if not fits:
        wanted = " × ".join("any" if size is None else str(size) for size in shape)
        raise InputError(f"The tensor {name!r} has the shape {tensor.shape} where {wanted} is needed.")
    return tensor
