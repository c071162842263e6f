"""Checkpoints: everything that a run needs to go on as if it had not stopped, in one file written atomically."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor

from levcert.errors import InputError
from levcert.files import atomic_path
from levcert.training.network import ConvNetwork
from levcert.training.progress import Progress


def save_checkpoint(
    path: Path, network: ConvNetwork, optimiser: torch.optim.SGD, progress: Progress, identity: dict[str, Any]
) -> None:
    """Write weights, buffers, momenta and progress."""
    tensors = {f"network.{name}": tensor.contiguous() for name, tensor in network.state_dict().items()}
    for name, parameter in network.named_parameters():
        momentum = optimiser.state[parameter].get("momentum_buffer")
        if momentum is not None:
            tensors[f"momentum.{name}"] = momentum
    metadata = {"progress": json.dumps(asdict(progress)), "identity": json.dumps(identity)}
    with atomic_path(path) as part:
        save_file(tensors, part, metadata=metadata)


def load_checkpoint(path: Path, network: ConvNetwork, optimiser: torch.optim.SGD, identity: dict[str, Any]) -> Progress:
    """Restore a run; refuse a checkpoint of another configuration or other data."""
    try:
        with safe_open(path, framework="pt") as file:
            metadata = file.metadata() or {}
            stored: dict[str, Tensor] = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
        found, progress = json.loads(metadata["identity"]), Progress(**json.loads(metadata["progress"]))
    except (SafetensorError, KeyError, TypeError, ValueError) as error:
        raise InputError(f"The checkpoint {path} is damaged ({error}); remove it and train from the start.") from None
    if found != json.loads(json.dumps(identity)):
        differing = sorted(key for key in identity.keys() | found.keys() if found.get(key) != identity.get(key))
        raise InputError(
            f"The checkpoint {path} belongs to a run with other {', '.join(differing)}; "
            "use the same options and data, or train from the start without --resume."
        )
    network.load_state_dict(
        {name.removeprefix("network."): tensor for name, tensor in stored.items() if name.startswith("network.")}
    )
    for name, parameter in network.named_parameters():
        if f"momentum.{name}" in stored:
            optimiser.state[parameter]["momentum_buffer"] = stored[f"momentum.{name}"]
    return progress
