"""A model is one ``.safetensors`` file: tensors, and a header that says what they are.

The header is JSON under the metadata key ``levcert``; docs/formats.md lists its fields.  Reading a file runs no
code from it and does not need torch.
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
from levcert.files.atomic import atomic_path, check_model_path, existing_file
from levcert.models.class_labels import check_labels
from levcert.models.training_record import TrainingRecord
from levcert.text.alphabet import Alphabet

FORMAT_VERSION: Final = 1
_KEY: Final = "levcert"

Tensors = dict[str, npt.NDArray[Any]]


@dataclass(frozen=True)
class Header:
    """Everything about a model that is not a tensor."""

    kind: str
    alphabet: Alphabet
    labels: tuple[str, ...]
    options: dict[str, Any] = field(default_factory=dict)  # what the kind of model needs to know, e.g. its activation
    training: TrainingRecord = field(default_factory=TrainingRecord)

    def to_json(self) -> str:
        written = {"alphabet": self.alphabet.to_dict(), "training": self.training.to_dict()}
        fields = {"kind": self.kind, "labels": list(self.labels), "options": self.options} | written
        try:
            text = json.dumps({"format_version": FORMAT_VERSION} | fields, allow_nan=False)
        except (TypeError, ValueError) as error:
            raise InputError(f"The model's header cannot be written as JSON: {error}.") from None
        if json.loads(text)["alphabet"] != fields["alphabet"]:
            raise InputError(
                "The alphabet contains a pair of surrogates, which JSON would read as one character; remove them."
            )
        return text

    @classmethod
    def from_json(cls, text: str) -> Header:
        fields = json.loads(text)
        version = fields.pop("format_version", None)
        if version != FORMAT_VERSION:
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
    from safetensors.numpy import save_file

    path = Path(path)
    check_model_path(path)
    bad = sorted(name for name, tensor in tensors.items() if not np.isfinite(tensor).all())
    if bad:
        raise InputError(f"The tensors {bad} contain NaN or infinity; train again with a lower learning rate.")
    with atomic_path(path) as part:
        contiguous = {name: np.ascontiguousarray(tensor) for name, tensor in tensors.items()}
        save_file(contiguous, part, metadata={_KEY: header.to_json()})


def read_model(path: str | Path) -> tuple[Header, Tensors]:
    """Read a model file; any problem is reported in one sentence."""
    from safetensors import SafetensorError, safe_open

    path = existing_file(path)
    try:
        with safe_open(path, framework="np") as file:
            metadata = file.metadata() or {}
            if _KEY not in metadata:
                raise InputError(f"{path} is a safetensors file, but levcert did not write it.")
            header = Header.from_json(metadata[_KEY])
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 - not a dict
    except SafetensorError as error:
        raise InputError(f"{path} is not a complete safetensors file: {error}.") from None
    except InputError as error:
        raise InputError(f"Cannot read the model {path}: {error}") from None
    except (TypeError, ValueError, KeyError, AttributeError, RecursionError) as error:
        raise InputError(f"The header of the model {path} is damaged: {error!r}.") from None
    for name, tensor in tensors.items():
        if tensor.dtype.kind not in "fiu" or not np.isfinite(tensor).all():
            raise InputError(f"The tensor {name!r} of the model {path} contains values that are not finite numbers.")
    return header, tensors


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
