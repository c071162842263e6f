"""The training loop: reproducible, interruptible, and resumable to the same bits."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from threadpoolctl import threadpool_limits

from levcert.datasets.dataset import Dataset
from levcert.errors import InputError
from levcert.models.conv import ConvModel
from levcert.models.training_record import TrainingRecord
from levcert.text.alphabet import Alphabet, EncodedTexts
from levcert.training.checkpoint import check_unused, load_checkpoint, run_identity, save_checkpoint
from levcert.training.conv.config import TrainingConfig
from levcert.training.conv.fft_convolution import memory_released
from levcert.training.conv.losses import loss_of
from levcert.training.conv.network import ConvNetwork
from levcert.training.conv.schedules import triangular
from levcert.training.data import accuracy, calibration, resolved_class_weight, row_weights, samples, training_rows
from levcert.training.progress import Progress, Reporter, Steps, polite_interrupt

SECONDS_BETWEEN_CHECKPOINTS = 30.0
_EXPLODED = 1e6  # training never recovers from a larger cross-entropy
# What optimisers remember of a weight, by torch's names: SGD its momentum, Adam two means and a count without shape.
_MEMORIES: dict[str, tuple[int, ...] | None] = {
    "momentum_buffer": None,
    "exp_avg": None,
    "exp_avg_sq": None,
    "step": (),
}


@dataclass(frozen=True)
class _Data:
    texts: EncodedTexts
    labels: torch.Tensor
    weights: torch.Tensor | None  # how much each text counts; None: all the same


@dataclass
class _Run:
    """One training run: what changes from step to step, and how it is saved and measured."""

    config: TrainingConfig
    network: ConvNetwork
    optimiser: torch.optim.Optimizer
    data: _Data
    identity: dict[str, Any]
    checkpoint: Path | None
    validate: Callable[[], dict[str, float]]
    progress: Progress = field(default_factory=Progress)

    @property
    def steps(self) -> int:
        """Steps of one epoch."""
        return math.ceil(len(self.data.texts) / self.config.batch_size)

    def restore(self) -> None:
        """Continue from the checkpoint, if there is one."""
        if self.checkpoint is None or not self.checkpoint.exists():
            return
        state = self.network.state_dict()
        weights = {name: f"network.{name}" for name in state}
        expected = {stored: state[name].detach().cpu().numpy() for name, stored in weights.items()}
        arrays, self.progress = load_checkpoint(self.checkpoint, expected, self.identity, self.steps)
        tensors = {name: torch.from_numpy(array) for name, array in arrays.items()}
        self.network.load_state_dict({name: tensors[stored] for name, stored in weights.items()})
        for name, parameter in self.network.named_parameters():
            for memory, shape in _MEMORIES.items():
                if f"{memory}.{name}" in tensors:
                    tensor = tensors[f"{memory}.{name}"].to(parameter.device)
                    whole = parameter.shape if shape is None else shape
                    self.optimiser.state[parameter][memory] = tensor.reshape(whole)

    def save(self) -> None:
        """Write weights, buffers, what the optimiser remembers, and progress."""
        if self.checkpoint is None:
            return
        tensors = {f"network.{name}": tensor for name, tensor in self.network.state_dict().items()}
        for name, parameter in self.network.named_parameters():
            remembered = self.optimiser.state[parameter]
            tensors |= {f"{memory}.{name}": remembered[memory] for memory in _MEMORIES if memory in remembered}
        arrays = {name: tensor.detach().cpu().numpy() for name, tensor in tensors.items()}
        save_checkpoint(self.checkpoint, arrays, self.progress, self.identity)

    def finish(self, reporter: Reporter, interrupted: threading.Event) -> None:
        """Take all remaining steps."""
        progress, steps = self.progress, Steps(self.save, SECONDS_BETWEEN_CHECKPOINTS, reporter, interrupted)
        self.network.train()
        while progress.epoch < self.config.epochs:
            order = np.random.default_rng([self.config.seed, progress.epoch]).permutation(len(self.data.texts))
            steps.take(progress, self.steps, partial(self._step, order))
            progress.end_epoch(self.validate())
        self.save()

    def _step(self, order: npt.NDArray[np.int64], number: int) -> float:
        """Train on the rows of one batch; return the learning rate."""
        progress, config = self.progress, self.config
        rows = order[number * config.batch_size :][: config.batch_size]
        done = (progress.epoch + (progress.step + 1) / self.steps) / config.epochs
        rate = triangular(done, config.learning_rate, config.peak)
        loss, right = _step(self.network, self.optimiser, _batch(self.data, rows, config, progress), rate)
        progress.count(len(rows), loss, right)
        if not loss < _EXPLODED:
            raise InputError(
                f"The loss became {loss:.3g} in epoch {progress.epoch + 1}, step {progress.step}; "
                f"lower --learning-rate (now {config.learning_rate:g})."
            )
        return rate


def train(
    dataset: Dataset,
    config: TrainingConfig | None = None,
    *,
    checkpoint: str | Path | None = None,
    resume: bool = False,
    restart: bool = False,
    show_progress: bool = True,
    **options: Any,
) -> ConvModel:
    """Train a convolutional classifier as ``config`` says (default: the paper's recipe) and fold it.

    With a ``checkpoint`` path the run can be interrupted (Ctrl-C saves) and continued with ``resume=True`` to the
    same result, bit for bit on a CPU.  ``options`` change single fields of the configuration.
    """
    config = (config or TrainingConfig.preset("paper", dataset.name)).changed(options)
    torch.set_num_threads(config.threads)
    path = None if checkpoint is None else Path(checkpoint)
    if resume and path is None:
        raise InputError("resume=True needs the checkpoint of the interrupted run; set checkpoint=.")
    check_unused(path, resume=resume, restart=restart)
    config = config.changed({"class_weight": resolved_class_weight(config.class_weight, dataset.train)})
    split, validation = training_rows(dataset, config.cut, config.validation_rows, config.seed)
    alphabet = Alphabet.from_corpus(str(text) for text in split.texts)
    weights = row_weights(split, config.class_weight)
    same = (weights == 1).all()
    data = _Data(
        alphabet.encode_many(split.texts),
        torch.from_numpy(split.labels),
        None if same else torch.from_numpy(weights.astype(np.float32)),
    )
    network = ConvNetwork(config, alphabet.size, len(dataset.labels)).to(config.device)
    optimiser = _optimiser(network, config)
    identity = run_identity(config, dataset, split)

    def validate() -> dict[str, float]:
        return (
            {} if validation is None else {"validation": accuracy(network.fold(alphabet, dataset.labels), validation)}
        )

    run = _Run(config, network, optimiser, data, identity, path, validate)
    if resume:
        run.restore()
    with (
        threadpool_limits(config.threads, "blas"),  # otherwise numpy's products use every core, even a busy one
        Reporter(config.epochs, run.steps, show=show_progress) as reporter,
        polite_interrupt() as interrupted,
        memory_released(),
    ):
        run.finish(reporter, interrupted)
    model = network.fold(alphabet, dataset.labels)
    metrics = {"seconds": round(run.progress.seconds, 3), "epochs": run.progress.history}
    metrics |= validate() | ({"test": accuracy(model, dataset.test.cut(config.cut))} if len(dataset.test) else {})
    if validation is not None and config.calibration == "auto":
        metrics["calibration"] = calibration(model, validation)
    fingerprints: dict[str, Any] = {"train": split.fingerprint, "rows": len(split), "name": dataset.name}
    if config.samples:
        fingerprints["samples"] = samples(model, dataset.test if len(dataset.test) else split, config.samples)
    model.training = TrainingRecord(config.to_dict(), fingerprints, metrics)
    return model


def _step(network: ConvNetwork, optimiser: torch.optim.Optimizer, batch: _Data, rate: float) -> tuple[float, int]:
    """Take one step; return the batch's mean loss and how many labels were correct."""
    config = network.config
    labels = batch.labels.to(network.head.device)
    scores = network.logits(batch.texts, labels)
    loss = loss_of(scores, labels, config, None if batch.weights is None else batch.weights.to(network.head.device))
    if config.method == "penalty":
        loss = loss + config.penalty * network.margin_constant()
    optimiser.zero_grad(set_to_none=True)
    loss.backward()  # type: ignore[no-untyped-call]
    for group in optimiser.param_groups:
        group["lr"] = rate
    value = float(loss.detach())
    if math.isfinite(value):
        optimiser.step()
    return value, int((scores.detach().argmax(dim=1) == labels).sum())


def _optimiser(network: ConvNetwork, config: TrainingConfig) -> torch.optim.Optimizer:
    if config.optimiser == "adam":
        return torch.optim.Adam(network.parameters(), lr=config.learning_rate)
    return torch.optim.SGD(network.parameters(), lr=config.learning_rate, momentum=config.momentum)


def _batch(data: _Data, rows: npt.NDArray[np.int64], config: TrainingConfig, progress: Progress) -> _Data:
    """Put the texts of a batch one after the other, with characters deleted if the configuration says so."""
    texts = data.texts.take(rows)
    if config.deletion:
        rng = np.random.default_rng([config.seed, progress.epoch, progress.step])
        kept = rng.random(len(texts.ids)) >= config.deletion
        offsets = np.concatenate([[0], np.cumsum(kept)])[texts.offsets]
        texts = EncodedTexts(texts.ids[kept], offsets)
    return _Data(texts, data.labels[rows], None if data.weights is None else data.weights[rows])
