"""All kinds of models, by the name in their files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from levcert.errors import InputError
from levcert.models.conv import ConvModel
from levcert.models.linear.linear_ngrams import LinearNgrams
from levcert.models.model_file import Header, Tensors, read_model
from levcert.models.votes import VoteModel
from levcert.models.window import WindowModel

MODEL_KINDS: Final[dict[str, Callable[[Header, Tensors], Any]]] = {
    "conv": ConvModel.from_storage,
    "linear": LinearNgrams.from_storage,
    "votes": VoteModel.from_storage,
}


def load(path: str | Path) -> WindowModel:
    """Read a model file of any kind; does not need torch and runs no code from the file.

    An imported pipeline is a :class:`LinearNgrams`, which has the same labels, scores, predict and save.

    Examples:
        >>> model = levcert.load("toy.safetensors")
        >>> model.labels
        ('letters', 'digits')
    """
    header, tensors = read_model(path)
    if header.kind not in MODEL_KINDS:
        raise InputError(
            f"Cannot read the model {path}: its kind is {header.kind!r}, and this version of levcert knows "
            f"{', '.join(MODEL_KINDS)}. Install the version that wrote it."
        )
    try:
        model: WindowModel = MODEL_KINDS[header.kind](header, tensors)
        return model
    except InputError as error:
        raise InputError(f"Cannot read the model {path}: {error}") from None
