"""All kinds of models, by the name in their files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from levcert.errors import InputError
from levcert.files.tensor_file import Tensors
from levcert.models.conv import ConvModel
from levcert.models.linear.linear_ngrams import LinearNgrams
from levcert.models.model_file import Header, read_model
from levcert.models.votes import VoteModel
from levcert.models.window import WindowModel

MODEL_KINDS: Final[dict[str, Callable[[Header, Tensors], Any]]] = {
    "conv": ConvModel.from_storage,
    "linear": LinearNgrams.from_storage,
    "votes": VoteModel.from_storage,
}


def load(path: str | Path, *, trusted_key: str | Path | None = None) -> WindowModel:
    """Read a model file of any kind; does not need torch and runs no code from the file.

    An imported pipeline is a :class:`LinearNgrams`, which has the same labels, scores, predict and save.

    With ``trusted_key``, the path of an Ed25519 public key (PEM), only a model with a signature by that key is read;
    the signature is the file beside it with .sig added to its name.

    Examples:
        >>> model = levcert.load("toy.safetensors")
        >>> model.labels
        ('letters', 'digits')
    """
    header, tensors = read_model(path, trusted_key)
    return model_of(path, header, tensors)


def model_of(path: str | Path, header: Header, tensors: Tensors) -> WindowModel:
    """Build the model that was read from a path."""
    if header.kind not in MODEL_KINDS:
        raise InputError(
            f"Cannot read the model {path}: its kind is {header.kind!r}, and this version of levcert knows "
            f"{', '.join(MODEL_KINDS)}. Install the version that wrote it."
        )
    try:
        model: WindowModel = MODEL_KINDS[header.kind](header, dict(tensors))
        return model
    except MemoryError:
        raise InputError(f"Cannot read the model {path}: there is not enough memory for it.") from None
    except InputError as error:
        raise InputError(f"Cannot read the model {path}: {error}") from None
