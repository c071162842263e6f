"""A training of the paper's network that Ctrl-C stops in the middle and that is then continued."""

import signal
from pathlib import Path

import numpy as np
import pytest

from levcert.datasets.dataset import Dataset
from levcert.models.conv import ConvModel
from levcert.training.conv import loop
from levcert.training.conv.config import TrainingConfig
from levcert.training.conv.loop import train


def resumed_after(steps: int, data: Dataset, config: TrainingConfig, checkpoint: Path) -> ConvModel:
    """Stop a training after ``steps`` steps, continue it from its checkpoint, return the model."""
    take_step, taken = loop._step, []

    def interrupted_step(*arguments):
        taken.append(1)
        if len(taken) == steps:
            signal.raise_signal(signal.SIGINT)
        return take_step(*arguments)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(loop, "_step", interrupted_step)
        with pytest.raises(KeyboardInterrupt):
            train(data, config, checkpoint=checkpoint)
    return train(data, config, checkpoint=checkpoint, resume=True)


def assert_same_bits(first: ConvModel, second: ConvModel) -> None:
    """All weights of both are equal."""
    for one, other in zip(
        (first.embedding, *first.kernels, first.head), (second.embedding, *second.kernels, second.head), strict=True
    ):
        np.testing.assert_array_equal(one, other)
