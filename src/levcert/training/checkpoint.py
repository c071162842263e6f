"""Checkpoints: everything a run needs to continue as if it had never stopped, in one file written atomically."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save_file

from levcert.errors import InputError
from levcert.files.atomic import atomic_path
from levcert.training.progress import Progress

Arrays = Mapping[str, npt.NDArray[Any]]


def save_checkpoint(path: Path, arrays: Arrays, progress: Progress, identity: dict[str, Any]) -> None:
    """Write the state of a run; ``identity`` names its configuration and data."""
    metadata = {"progress": json.dumps(asdict(progress)), "identity": json.dumps(identity)}
    with atomic_path(path) as part:
        save_file({name: np.ascontiguousarray(array) for name, array in arrays.items()}, part, metadata=metadata)


def load_checkpoint(path: Path, needed: Iterable[str], identity: dict[str, Any]) -> tuple[Arrays, Progress]:
    """Return the state of a run; reject a checkpoint of another configuration or other data, or without its arrays."""
    try:
        with safe_open(path, framework="np") as file:
            metadata = file.metadata() or {}
            arrays = {name: file.get_tensor(name) for name in {*file.keys(), *needed}}
        found, progress = json.loads(metadata["identity"]), Progress(**json.loads(metadata["progress"]))
    except (SafetensorError, KeyError, TypeError, ValueError) as error:
        raise InputError(f"The checkpoint {path} is damaged ({error}); delete it and train from scratch.") from None
    if found != json.loads(json.dumps(identity)):
        differing = sorted(key for key in identity.keys() | found.keys() if found.get(key) != identity.get(key))
        raise InputError(
            f"The checkpoint {path} belongs to a run with a different {' and '.join(differing)}; "
            "use the same options and data, or train from scratch without --resume."
        )
    return arrays, progress
