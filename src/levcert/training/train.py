"""The function that users call to train a model of either family."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from levcert.datasets.dataset import Dataset
from levcert.errors import InputError
from levcert.models.window import WindowModel
from levcert.training.base_config import Configuration
from levcert.training.conv.config import TrainingConfig
from levcert.training.model_families import Family, configured
from levcert.training.votes.config import VoteConfig


def train(
    dataset: Dataset,
    config: Configuration | None = None,
    *,
    model: Family = "votes",
    checkpoint: str | Path | None = None,
    resume: bool = False,
    restart: bool = False,
    show_progress: bool = True,
    **options: Any,
) -> WindowModel:
    """Train a classifier: bounded votes, or the paper's convolution (``model="conv"``, needs torch).

    ``options`` change single fields of the configuration (VoteConfig or TrainingConfig).  If you pass a ``config``, its
    type selects the model family.  With a ``checkpoint`` path the run can be interrupted (Ctrl-C saves) and continued
    with ``resume=True`` to the same result, bit for bit on a CPU.  A checkpoint that is already there is continued
    with ``resume=True`` or discarded with ``restart=True``; without either, it is an error.

    Examples:
        >>> data = levcert.load_dataset("toy")
        >>> model = levcert.train(data, orders=(2, 3), epochs=2, show_progress=False)
        >>> model.predict(["hello w0rld", "12e4567"])
        array(['letters', 'digits'], dtype='<U7')
    """
    if not isinstance(dataset, Dataset):
        raise InputError(
            f"Expected a Dataset, not {type(dataset).__name__}. Write train(load_dataset('mails.csv')); for lists of "
            "texts and labels, use LevenshteinClassifier().fit(texts, labels)."
        )
    config = configured(model, dataset, options) if config is None else config.changed(options)
    path = None if checkpoint is None else Path(checkpoint)
    if resume and path is None:
        raise InputError("resume=True needs the checkpoint of the interrupted run; set checkpoint=.")
    if isinstance(config, VoteConfig):
        from levcert.training.votes.train import train_votes

        return train_votes(
            dataset, config, checkpoint=path, resume=resume, restart=restart, show_progress=show_progress
        )
    if not isinstance(config, TrainingConfig):
        raise InputError(f"config must be a VoteConfig or a TrainingConfig, not {config!r}.")
    from levcert.training.conv.loop import train as train_conv

    return train_conv(dataset, config, checkpoint=path, resume=resume, restart=restart, show_progress=show_progress)
