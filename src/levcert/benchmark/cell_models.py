"""Where a cell's model comes from: a folder of trained files, matched by what their headers say, or training."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any, Final

import levcert
from levcert.benchmark.cell_texts import dataset_for, training_rows
from levcert.benchmark.study import Cell
from levcert.benchmark.untrained_models import MADE
from levcert.datasets import Dataset
from levcert.errors import InputError
from levcert.models.model_file import Header, read_model
from levcert.models.window import WindowModel
from levcert.training.model_families import CONFIGURATIONS, configured

# Kinds whose published rows come out again when they are trained again.  Some networks of the paper's kind were trained
# by earlier code, which rounds differently, and nothing in a row tells which.
REPRODUCIBLE: Final = ("votes",)
_SAME_RESULT: Final = (
    "threads",
    "device",
    "calibration",
    "samples",
)  # options that do not change what a study measures


class NotStoredError(InputError):
    """The model of a cell is not stored, and may not be trained now."""


def configuration(cell: Cell) -> dict[str, Any]:
    """Return the whole training configuration of a cell, defaults included; of a made model, its options."""
    kind = cell.settings["model"]
    if kind in MADE:
        return dict(cell.training)
    return configured(kind, dataset_for(cell.settings), cell.training).to_dict()


def model_of(cell: Cell, folder: Path, *, may_train: bool = True) -> WindowModel:
    """Return the model of a cell: made, found in the folder, or trained and kept there."""
    kind, dataset = cell.settings["model"], dataset_for(cell.settings)
    if kind in MADE:
        return MADE[kind](dataset, cell.training)
    config = configuration(cell)
    fingerprint = training_rows(dataset, config)[0].fingerprint
    path = find(folder, kind, config, fingerprint)
    if path is not None:
        return levcert.load(path)
    if not may_train:
        raise NotStoredError(f"its model is not in {folder}.")
    return _train(dataset, cell, folder, fingerprint)


def find(folder: Path, kind: str, config: dict[str, Any], fingerprint: str) -> Path | None:
    """Return the model file with this kind, configuration and training data; its name does not matter."""
    wanted = _identity(config)
    for path in sorted(folder.glob("*.safetensors")):
        header = _header(path, path.stat().st_mtime_ns)
        if header is not None and header.kind == kind and _trained_on(header, fingerprint) == wanted:
            return path
    return None


def _trained_on(header: Header, fingerprint: str) -> dict[str, Any] | None:
    """Return what a model's configuration was, if it was trained on this data and says so.

    Options that are newer than the file have their defaults, but before there were class weights, there were none.
    """
    record = header.training
    if not record.config or record.data.get("train") != fingerprint:
        return None
    config = {"class_weight": "none"} | dict(record.config)
    try:
        return _identity(CONFIGURATIONS[header.kind].from_dict(config).to_dict())
    except InputError:
        return None


def _train(dataset: Dataset, cell: Cell, folder: Path, fingerprint: str) -> WindowModel:
    """Train with a checkpoint, so that a killed run continues where it stopped."""
    folder.mkdir(parents=True, exist_ok=True)
    config = configured(cell.settings["model"], dataset, cell.training).changed({"calibration": "none", "samples": 0})
    identity = json.dumps([cell.settings["model"], _identity(config.to_dict()), fingerprint], sort_keys=True)
    name = f"{dataset.name}-{hashlib.sha256(identity.encode()).hexdigest()[:12]}"
    path, checkpoint = folder / f"{name}.safetensors", folder / f"{name}.checkpoint"
    model: Any = levcert.train(dataset, config, checkpoint=checkpoint, resume=True, show_progress=False)
    model.save(path)
    checkpoint.unlink(missing_ok=True)
    return levcert.load(path)


def _header(path: Path, changed: int) -> Header | None:
    """Return the header of a model file, or None if it is not a complete model; ``changed`` guards the cache."""
    if (path, changed) not in _HEADERS:
        try:
            _HEADERS[path, changed] = read_model(path)[0]
        except InputError:
            _HEADERS[path, changed] = None
    return _HEADERS[path, changed]


def _identity(config: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in config.items() if name not in _SAME_RESULT}


_HEADERS: Final[dict[tuple[Path, int], Header | None]] = {}
