"""Training of bounded votes: reproducible, interruptible, resumable to the same bits; does not need torch."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from levcert.datasets.dataset import Dataset, Split, holdout, holdout_apart
from levcert.errors import InputError
from levcert.models.training_record import TrainingRecord
from levcert.models.votes import VoteModel, quantised
from levcert.text.alphabet import Alphabet, EncodedTexts
from levcert.training.checkpoint import check_unused, load_checkpoint, run_identity, save_checkpoint
from levcert.training.data import accuracy, calibration, resolved_class_weight, row_weights, samples, training_rows
from levcert.training.progress import Progress, Reporter, Steps, polite_interrupt
from levcert.training.votes.config import VoteConfig

SECONDS_BETWEEN_CHECKPOINTS = 30.0
_TEXTS_AT_ONCE = 1000  # between two checks for Ctrl-C
_FEW_CALIBRATION_ROWS, _MOST_CALIBRATION_ROWS = 200, 1000
_STATE = "theta", "squares", "votes", "best", "state"


@dataclass
class _Run:
    """One training run: the tables and its progress."""

    config: VoteConfig
    alphabet: Alphabet
    labels: tuple[str, ...]
    texts: EncodedTexts
    numbers: npt.NDArray[np.int64]
    weights: npt.NDArray[np.float64]  # how much each text counts
    validation: Split | None
    identity: dict[str, Any]
    checkpoint: Path | None
    progress: Progress = field(default_factory=Progress)

    def __post_init__(self) -> None:
        # Tables of all orders one after the other, each with a row of zeros for padding.
        shape = (len(self.config.orders) * (2**self.config.table_bits + 1), len(self.labels))
        self.theta, self.squares, self.votes, self.best = (np.zeros(shape, dtype=np.float32) for _ in range(4))
        self.state = np.array([self.config.seed], dtype=np.uint64)

    @property
    def steps(self) -> int:
        return -(-len(self.texts) // _TEXTS_AT_ONCE)

    def finish(self, reporter: Reporter, interrupted: threading.Event) -> None:
        """Train until the last epoch, or until verified accuracy has not risen for ``patience`` epochs."""
        progress, steps = self.progress, Steps(self.save, SECONDS_BETWEEN_CHECKPOINTS, reporter, interrupted)
        while progress.epoch < self.config.epochs and not self._patience_is_over():
            order = np.random.default_rng([self.config.seed, progress.epoch]).permutation(len(self.texts))
            steps.take(progress, self.steps, partial(self._step, order))
            self._end_epoch()

    def _step(self, order: npt.NDArray[np.int64], number: int) -> float:
        """Train on some of the texts; return the learning rate."""
        from levcert.kernels.vote_training import train_texts

        config, progress = self.config, self.progress
        rows = order[number * _TEXTS_AT_ONCE :][:_TEXTS_AT_ONCE]
        done = (progress.epoch + progress.step / self.steps) / config.epochs
        rate = config.learning_rate * (1 - done)
        # τ·f/G: scores in edits, with G = 4·Σn the most that one edit can change a margin of votes in [−1, 1]
        scale = config.temperature / (4 * sum(config.orders))
        loss, right = train_texts(
            self.theta, self.squares, self.votes, np.array(config.orders, dtype=np.int64),
            self.texts.ids, self.texts.offsets, rows, self.numbers, self.weights,
            scale, config.distance * config.temperature, config.loss == "hinge", rate, config.dropout,
            config.edits if progress.epoch else 0, config.tries, config.adversary == "exact",
            self.alphabet.size, self.state,
        )  # fmt: skip
        progress.count(len(rows), loss / len(rows), right)
        return rate

    def _end_epoch(self) -> None:
        metrics: dict[str, float] = {}
        if self.validation is not None:
            metrics = validation_metrics(self.model(self.votes), self.validation, self.config.target_distance)
        self.progress.end_epoch(metrics)
        if self._epochs_since_best() == 0:
            self.best[:] = self.votes

    def _epochs_since_best(self) -> int:
        """How many epochs ago verified accuracy was highest; if it is not measured, the last epoch counts as best."""
        verified = [epoch.get("verified", 0.0) for epoch in self.progress.history]
        return len(verified) - 1 - max(range(len(verified)), key=lambda epoch: (verified[epoch], epoch))

    def _patience_is_over(self) -> bool:
        return bool(self.progress.history) and self._epochs_since_best() >= self.config.patience

    def model(self, votes: npt.NDArray[np.float32]) -> VoteModel:
        """Return the model with these votes, rounded to units and pruned as the configuration says."""
        tables = votes.reshape(len(self.config.orders), -1, len(self.labels))[:, :-1]
        model = VoteModel(self.alphabet, quantised(tables), self.config.orders, labels=self.labels)
        return model if self.config.keep == 1 else model.pruned(self.config.keep)

    def save(self) -> None:
        """Write everything the run needs to continue as if it had never stopped."""
        if self.checkpoint is not None:
            arrays = {name: getattr(self, name) for name in _STATE}
            save_checkpoint(self.checkpoint, arrays, self.progress, self.identity)

    def restore(self) -> None:
        """Continue from the checkpoint, if there is one."""
        if self.checkpoint is not None and self.checkpoint.exists():
            expected = {name: getattr(self, name) for name in _STATE}
            arrays, self.progress = load_checkpoint(self.checkpoint, expected, self.identity, self.steps)
            for name in _STATE:
                getattr(self, name)[:] = arrays[name]


def train_votes(
    dataset: Dataset,
    config: VoteConfig,
    *,
    checkpoint: Path | None = None,
    resume: bool = False,
    restart: bool = False,
    show_progress: bool = True,
) -> VoteModel:
    """Train bounded votes as the configuration says."""
    check_unused(checkpoint, resume=resume, restart=restart)
    config = config.changed({"class_weight": resolved_class_weight(config.class_weight, dataset.train)})
    split, validation = training_rows(dataset, config.cut, config.validation_rows, config.seed)
    alphabet = (
        Alphabet.bytes() if config.symbols == "bytes" else Alphabet.from_corpus(str(text) for text in split.texts)
    )
    identity = run_identity(config, dataset, split)
    encoded, numbers = alphabet.encode_many(split.texts), np.asarray(split.labels, dtype=np.int64)
    weights = row_weights(split, config.class_weight)
    run = _Run(config, alphabet, dataset.labels, encoded, numbers, weights, validation, identity, checkpoint)
    if resume:
        run.restore()
    with Reporter(config.epochs, run.steps, show=show_progress) as reporter, polite_interrupt() as interrupted:
        run.finish(reporter, interrupted)
    model = run.model(run.best)
    metrics: dict[str, Any] = {"seconds": round(run.progress.seconds, 3), "epochs": run.progress.history}
    if validation is not None:
        metrics |= validation_metrics(model, validation, config.target_distance)
    if len(dataset.test):
        metrics["test"] = accuracy(model, dataset.test.cut(config.cut))
    if config.calibration == "auto":
        try:
            metrics |= _calibration(model, dataset, config, validation, show_progress)
        except KeyboardInterrupt:
            run.save()
            raise
    fingerprints: dict[str, Any] = {"train": split.fingerprint, "rows": len(split), "name": dataset.name}
    if config.samples:
        fingerprints["samples"] = samples(model, dataset.test if len(dataset.test) else split, config.samples)
    model.training = TrainingRecord(config.to_dict(), fingerprints, metrics)
    return model


def _calibration(
    model: VoteModel, dataset: Dataset, config: VoteConfig, validation: Split | None, show_progress: bool
) -> dict[str, Any]:
    """Fit the temperature to the validation rows; without any, to rows that a second run with these options holds out.

    The model itself has seen all rows then, and on those it is surer than on new ones.  The second model differs from
    it only by the rows held out, so their temperatures are about the same.
    """
    if validation is None:
        rows = dataset.train if dataset.train.weights is None else training_rows(dataset, None, 0, 0)[0]
        count = min(_MOST_CALIBRATION_ROWS, max(_FEW_CALIBRATION_ROWS, len(rows) // 10), len(rows) // 2)
        if not count:
            return {}
        try:
            rest, validation = holdout_apart(rows, count, config.seed)
        except InputError:  # too many rows are repeated, or parts of others
            rest, validation = holdout(rows, count, config.seed)
        validation = validation.cut(config.cut)
        nothing = Split([], np.zeros(0, dtype=np.int64))
        smaller = Dataset(dataset.name, dataset.labels, rest, nothing, dataset.source)
        model = train_votes(smaller, config.changed({"calibration": "none", "samples": 0}), show_progress=show_progress)
    return {"calibration": calibration(model, validation)}


def validation_metrics(model: VoteModel, split: Split, distance: int | None) -> dict[str, float]:
    """Return accuracy, and verified accuracy at ``distance`` if that is set."""
    metrics = {"validation": accuracy(model, split)}
    if distance is not None:
        metrics["verified"] = verified_accuracy(model, split, distance)
    return metrics


def verified_accuracy(model: VoteModel, split: Split, distance: int) -> float:
    """Return the share of texts whose correct label no ``distance`` edits can change (certified by chains)."""
    from levcert.certifiers import certify

    rows = certify(model, split.texts, "chains", max_distance=distance)
    truth = [model.labels[number] for number in split.labels]
    return rows.verified_accuracy(truth, distance).value
