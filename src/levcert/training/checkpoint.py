"""Checkpoints: everything a run needs to continue as if it had never stopped, in one file written atomically.

A checkpoint is believed only if its checksum is right, it belongs to the same run, its arrays have the types and shapes
that the run has now, and it stands at a step that the run has.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

import numpy.typing as npt

from levcert.datasets.dataset import Dataset, Split
from levcert.errors import InputError
from levcert.files.tensor_file import read_tensors, write_tensors
from levcert.training.base_config import Configuration
from levcert.training.progress import Progress

Arrays = Mapping[str, npt.NDArray[Any]]

_KEY: Final = "levcert_checkpoint"
_CURE: Final = "discard it and train from scratch with --restart"


def run_identity(config: Configuration, dataset: Dataset, split: Split) -> dict[str, Any]:
    """Return what must agree to resume a run: its options but for the number of threads, its labels and its rows."""
    options = {name: value for name, value in config.to_dict().items() if name != "threads"}
    return {"config": options, "labels": list(dataset.labels), "data": split.fingerprint}


def check_unused(path: Path | None, *, resume: bool, restart: bool) -> None:
    """Refuse to begin a run over the checkpoint of another one; with ``restart``, remove it."""
    if resume and restart:
        raise InputError("A run is either resumed or restarted; give one of the two.")
    if path is None or resume or not path.exists():
        return
    if not restart:
        raise InputError(f"{path} is the checkpoint of an interrupted run; continue it with --resume, or {_CURE}.")
    path.unlink()


def save_checkpoint(path: Path, arrays: Arrays, progress: Progress, identity: dict[str, Any]) -> None:
    """Write the state of a run; ``identity`` is that of :func:`run_identity`."""
    header = {"progress": asdict(progress), "identity": identity}
    write_tensors(path, _KEY, json.loads(json.dumps(header)), arrays)


def load_checkpoint(path: Path, expected: Arrays, identity: dict[str, Any], steps: int) -> tuple[Arrays, Progress]:
    """Return the state of a run of ``steps`` steps per epoch, with arrays like the ``expected`` ones; or refuse it."""
    try:
        header, arrays = read_tensors(path, _KEY, must_be_checked=True)
        _check_identity(path, header["identity"], json.loads(json.dumps(identity)))
        progress = _progress(header["progress"], steps)
        for name, array in expected.items():
            if arrays[name].dtype != array.dtype or arrays[name].shape != array.shape:
                raise ValueError(f"{name} has another type or shape")
    except _AnotherRunError as error:
        raise InputError(str(error)) from None
    except (InputError, KeyError, TypeError, ValueError, AttributeError) as error:
        raise InputError(f"The checkpoint {path} is damaged ({str(error).rstrip('.')}); {_CURE}.") from None
    return arrays, progress


class _AnotherRunError(Exception):
    """A checkpoint in order, but not of this run."""


def _check_identity(path: Path, found: dict[str, Any], wanted: dict[str, Any]) -> None:
    differing = sorted(key for key in wanted.keys() | found.keys() if found.get(key) != wanted.get(key))
    if differing:
        raise _AnotherRunError(
            f"The checkpoint {path} belongs to a run with a different {' and '.join(differing)}; "
            f"use the same options and data, or {_CURE}."
        )


def _progress(stored: Any, steps: int) -> Progress:
    """Return the progress that a header describes, if a run can stand there."""
    counts, numbers = ("epoch", "step", "right", "seen"), ("loss_sum", "seconds")
    for name in (*counts, *numbers):
        value = stored[name]
        fits = value >= 0 if type(value) is int else math.isfinite(value) if type(value) is float else False
        if not fits or isinstance(value, int) != (name in counts):
            raise ValueError(f"its {name} is {value!r}")
    progress = Progress(**stored)
    if progress.step > steps or len(progress.history) != progress.epoch or progress.right > progress.seen:
        raise ValueError(f"step {progress.step} of epoch {progress.epoch} is none of this run")
    for epoch in progress.history:
        if not isinstance(epoch, dict) or not all(type(value) is float for value in epoch.values()):
            raise ValueError("its history has no numbers")
    return progress
