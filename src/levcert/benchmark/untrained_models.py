"""Models that levcert does not train: an untrained network, random weights, the counterexample, and a baseline."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

import levcert
from levcert.benchmark.tfidf_baseline import default_pipeline, tfidf_baseline
from levcert.datasets import Dataset
from levcert.models.conv import ConvModel
from levcert.training.conv.config import TrainingConfig


def _untrained_model(dataset: Dataset, options: dict[str, Any]) -> ConvModel:
    """The paper's network, freshly initialised: for times, which do not depend on the weights."""
    from levcert.training.conv.network import ConvNetwork

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
    """The counterexample of docs/published-bound.md: embeddings +1 and −1, one filter with taps +1, −1, +1 and so on.

    With ``count`` it competes with a second class, whose filter scores that much for each character.
    """
    signs, count = [(-1.0) ** j for j in range(options["kernel_size"])], options.get("count", 0.0)
    taps = np.array([[[sign, 0.0], [0.0, count * (j == 0)]] for j, sign in enumerate(signs)])
    counted = float(count != 0)
    embedding, head = [[1.0, counted], [-1.0, counted]], np.diag([1.0, counted])
    return ConvModel(levcert.Alphabet("ab"), embedding, [taps], head, labels=dataset.labels)


MADE: Final[dict[str, Callable[[Dataset, dict[str, Any]], Any]]] = {  # window models, and imported ones
    "untrained": _untrained_model,
    "random": _random_model,
    "alternating": _alternating_model,
    "tfidf": tfidf_baseline,
    "pipeline": default_pipeline,
}
