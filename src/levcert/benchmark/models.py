"""Where a cell's model comes from: a folder of trained files, matched by what their headers say, or training."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import numpy as np

import levcert
from levcert.benchmark.study import Cell
from levcert.benchmark.texts import dataset_of, training_rows
from levcert.datasets import Dataset
from levcert.errors import InputError
from levcert.models.conv import ConvModel
from levcert.models.window import WindowModel
from levcert.storage import Header, read_model
from levcert.training.config import TrainingConfig

_SAME_RESULT: Final = ("threads", "device")  # options that change how a model is trained, not which


class NotStoredError(InputError):
    """The model of a cell is not stored, and may not be trained now."""


def configuration(cell: Cell) -> dict[str, Any]:
    """Return the whole training configuration of a cell, defaults included."""
    kind = cell.settings["model"]
    if kind in MADE:
        return dict(cell.training)
    if kind not in CONFIGURATIONS:
        raise InputError(f"This levcert cannot train models of the kind {kind!r}; it can {', '.join(CONFIGURATIONS)}.")
    return CONFIGURATIONS[kind](cell.settings["dataset"], cell.training)


def model_of(cell: Cell, folder: Path, *, may_train: bool = True) -> WindowModel:
    """Return the model of a cell: made, found in the folder, or trained and kept there."""
    kind, dataset = cell.settings["model"], dataset_of(cell.settings["dataset"])
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
        if header is None or header.kind != kind:
            continue
        facts = header.training
        same_data = facts.get("data", {}).get("train") == fingerprint
        if same_data and _identity(facts.get("config", {})) == wanted:
            return path
    return None


def _train(dataset: Dataset, cell: Cell, folder: Path, fingerprint: str) -> WindowModel:
    """Train with a checkpoint, so that a killed run goes on where it was."""
    folder.mkdir(parents=True, exist_ok=True)
    config = configuration(cell)
    identity = json.dumps([_identity(config), fingerprint], sort_keys=True)
    name = f"{dataset.name}-{hashlib.sha256(identity.encode()).hexdigest()[:12]}"
    path, checkpoint = folder / f"{name}.safetensors", folder / f"{name}.checkpoint"
    TRAININGS[cell.settings["model"]](dataset, cell.training, checkpoint).save(path)
    checkpoint.unlink(missing_ok=True)
    return levcert.load(path)


def _train_conv(dataset: Dataset, options: dict[str, Any], checkpoint: Path) -> ConvModel:
    config = TrainingConfig.preset("paper", dataset.name, **options)
    return levcert.train(dataset, config, checkpoint=checkpoint, resume=True, show_progress=False)


def _untrained_model(dataset: Dataset, options: dict[str, Any]) -> ConvModel:
    """The paper's network as training finds it: for times, which do not depend on the weights."""
    from levcert.training.network import ConvNetwork

    config = TrainingConfig.preset("paper", dataset.name, **options)
    alphabet = levcert.Alphabet.from_corpus(str(text) for text in dataset.train.texts)
    return ConvNetwork(config, alphabet.size, len(dataset.labels)).fold(alphabet, dataset.labels)


def _random_model(dataset: Dataset, options: dict[str, Any]) -> ConvModel:
    """Gaussian weights of given sizes over the alphabet of a dataset."""
    alphabet = levcert.Alphabet.from_corpus(str(text) for text in dataset.train.texts)
    taps, filters, size = (options[name] for name in ("kernel_size", "filters", "embedding_size"))
    rng = np.random.default_rng(options["seed"])
    weights = [rng.normal(size=shape) for shape in ((alphabet.size, size), (taps, filters, size))]
    head = rng.normal(size=(len(dataset.labels), filters))
    return ConvModel(alphabet, weights[0], [weights[1]], head, labels=dataset.labels)


def _alternating_model(dataset: Dataset, options: dict[str, Any]) -> ConvModel:
    """The counterexample of docs/soundness.md: embeddings +1 and −1, one filter with taps +1, −1, +1 and so on.

    With ``count`` it stands against a second class, whose filter gives that much for each character.
    """
    signs, count = [(-1.0) ** j for j in range(options["kernel_size"])], options.get("count", 0.0)
    taps = np.array([[[sign, 0.0], [0.0, count * (j == 0)]] for j, sign in enumerate(signs)])
    embedding = [[1.0, 1.0], [-1.0, 1.0]] if count else [[1.0, 0.0], [-1.0, 0.0]]
    return ConvModel(levcert.Alphabet("ab"), embedding, [taps], np.eye(2), labels=dataset.labels)


def _header(path: Path, changed: int) -> Header | None:
    """Return the header of a model file, or None for a file that is no whole model; ``changed`` guards the cache."""
    if (path, changed) not in _HEADERS:
        try:
            _HEADERS[path, changed] = read_model(path)[0]
        except InputError:
            _HEADERS[path, changed] = None
    return _HEADERS[path, changed]


def _identity(config: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in config.items() if name not in _SAME_RESULT}


_HEADERS: Final[dict[tuple[Path, int], Header | None]] = {}
CONFIGURATIONS: Final[dict[str, Callable[[str, dict[str, Any]], dict[str, Any]]]] = {
    "conv": lambda dataset, options: TrainingConfig.preset("paper", dataset, **options).to_dict(),
}
TRAININGS: Final[dict[str, Callable[[Dataset, dict[str, Any], Path], Any]]] = {"conv": _train_conv}
MADE: Final[dict[str, Callable[[Dataset, dict[str, Any]], WindowModel]]] = {
    "untrained": _untrained_model,
    "random": _random_model,
    "alternating": _alternating_model,
}
