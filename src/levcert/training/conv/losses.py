"""The losses: cross-entropy, or how far margins fall short, in edits if the network is divided by the cost of one."""

from __future__ import annotations

import math

from torch import Tensor
from torch.nn import functional

from levcert.training.conv.config import TrainingConfig


def loss_of(scores: Tensor, labels: Tensor, config: TrainingConfig, weights: Tensor | None = None) -> Tensor:
    """Return the mean loss of a batch; ``scores`` are those of the 1-Lipschitz network, ``weights`` those of the texts.

    ``cross_entropy``: of τ·(f_ŷ − f_y + c), with τ the scale and c the margin that the label should win by.
    ``hinge``: max(0, c − min_ŷ (f_y − f_ŷ)).  A text that wins by c withstands ⌈c⌉ − 1 edits and pulls no longer, so
    that all weight goes to texts that can still be won.
    """
    own = functional.one_hot(labels, scores.shape[1])
    if config.loss == "hinge":
        best_other = scores.masked_fill(own.bool(), -math.inf).amax(dim=1)
        margins = scores.gather(1, labels[:, None])[:, 0] - best_other
        lacking = (config.margin - margins).clamp(min=0)
        return (lacking if weights is None else lacking * weights).mean() * config.scale
    wanted = scores if config.margin == 0 else scores - config.margin * own
    wanted = wanted if config.scale == 1 else wanted * config.scale
    if weights is None:
        return functional.cross_entropy(wanted, labels)
    return (functional.cross_entropy(wanted, labels, reduction="none") * weights).mean()
