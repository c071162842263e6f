"""Activations that keep a network a window sum: σ(0) = 0, and their true Lipschitz constants."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

from levcert.errors import InputError


@dataclass(frozen=True)
class Activation:
    """``code`` is what kernels know it by; ``lipschitz`` bounds |σ(x) − σ(y)| / |x − y|."""

    name: str
    code: int
    lipschitz: float
    increasing: bool
    bounded: bool = False  # |σ| ≤ 1


# The slope of GELU, Φ(x) + x·φ(x), is largest at √2; rounded up.
_GELU_SLOPE: Final = 0.5 * (1 + math.erf(1.0)) + math.sqrt(2) * math.exp(-1) / math.sqrt(2 * math.pi) + 1e-15

ACTIVATIONS: Final = {
    activation.name: activation
    for activation in (
        Activation("relu", 0, 1.0, increasing=True),
        Activation("leaky_relu", 1, 1.0, increasing=True),
        Activation("tanh", 2, 1.0, increasing=True, bounded=True),
        Activation("gelu", 3, _GELU_SLOPE, increasing=False),
    )
}
_SHIFTED: Final = ("sigmoid", "softplus", "hard_sigmoid", "log_sigmoid")


def get_activation(name: str) -> Activation:
    """Look up an activation; reject those that would give padding a score."""
    if not isinstance(name, str):
        raise InputError(f"Give the activation by its name, not as {name!r}.")
    if name in _SHIFTED:
        raise InputError(
            f"The activation {name} is not 0 at 0, so it would give empty windows a score; "
            f"use one of {', '.join(ACTIVATIONS)}."
        )
    if name not in ACTIVATIONS:
        raise InputError(f"There is no activation {name!r}; the activations are {', '.join(ACTIVATIONS)}.")
    return ACTIVATIONS[name]
