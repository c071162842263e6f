"""Seconds for one text: the folded model used for prediction, and the 1-Lipschitz form used in training."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from levcert.benchmark.measures.base import Measurement, Spec, Subject


def latency(subject: Subject, spec: Spec) -> Measurement:
    """Median CPU seconds over the texts, one text at a time, after a first one that compiles and warms up."""
    import torch

    from levcert.training.conv.config import TrainingConfig
    from levcert.training.conv.network import ConvNetwork

    model, name = subject.model, spec["name"]
    config = TrainingConfig.from_dict(subject.training)
    torch.set_num_threads(config.threads)
    network = ConvNetwork(config, model.alphabet.size, model.classes)

    def in_training(text: str) -> None:
        with torch.no_grad():
            network(model.alphabet.encode_many([text]))

    return Measurement(
        {
            f"{name} folded seconds": _median_seconds(lambda text: model.predict([text]), subject.texts),
            f"{name} in training seconds": _median_seconds(in_training, subject.texts),
        }
    )


def _median_seconds(function: Callable[[str], object], texts: list[str]) -> float:
    function(texts[0])
    seconds = []
    for text in texts:
        started = time.process_time()
        function(text)
        seconds.append(time.process_time() - started)
    return float(np.median(seconds))
