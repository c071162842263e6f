"""The network in training: raw weights, the constants they are divided by, and the folded result."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any, cast

import numpy as np
import torch
from torch import Tensor, nn

from levcert.models import norms
from levcert.models.activations import get_activation
from levcert.models.conv import ConvModel
from levcert.text.alphabet import Alphabet, EncodedTexts
from levcert.training.conv import constants
from levcert.training.conv.config import TrainingConfig
from levcert.training.conv.edit_constants import edit_constants
from levcert.training.conv.features import plain_pooled_features, pooled_features, table_of
from levcert.training.conv.one_layer import shallow_scores

_CANDIDATES = 64  # worst substitutions kept between two full searches
_SEARCH_EVERY = 25  # training steps


class ConvNetwork(nn.Module):
    """Raw weights E, K⁽¹⁾ …, W and how they are normalised (Equation "conv_model_l").

    ``lipschitz`` with the paper's norms divides each layer by its own constant; with the substitution constant
    it divides the scores by S of the whole network, with that of edits by the most that any edit can take.  In all
    cases gradients flow through the constants.
    ``penalty`` and ``plain`` start with all constants 1 and use the weights as they are.
    """

    candidates: Tensor
    steps: Tensor

    def __init__(self, config: TrainingConfig, symbols: int, classes: int, dtype: torch.dtype = torch.float32) -> None:
        super().__init__()
        self.config = config
        self._stretch = get_activation(config.activation).lipschitz
        self._homogeneous = config.activation in ("relu", "leaky_relu")  # σ(cx) = c·σ(x) for c ≥ 0
        plain = config.activation == "relu" and config.pooling == "sum" and config.device == "cpu"
        self._is_shallow = config.layers == 1 and plain  # what training.shallow computes by hand
        generator = torch.Generator().manual_seed(config.seed)

        def uniform(*shape: int, inputs: int) -> Tensor:
            """Torch's own start for convolutions and linear layers, drawn in float64."""
            unit = torch.rand(shape, generator=generator, dtype=torch.float64)
            return (unit * 2 - 1) / math.sqrt(inputs)

        sizes = [config.embedding_size] + [config.filters] * config.layers
        embedding = torch.randn(symbols, sizes[0], generator=generator, dtype=torch.float64)
        kernels = [
            uniform(config.kernel_size, after, before, inputs=config.kernel_size * before)
            for before, after in pairwise(sizes)
        ]
        head = uniform(classes, config.filters, inputs=config.filters)
        if config.method != "lipschitz":
            embedding /= norms.embedding_constant(embedding.numpy(), config.p)
            kernels = [K / norms.kernel_constant(K.numpy(), config.p) for K in kernels]
            head /= norms.head_constant(head.numpy(), config.p)
        self.embedding = nn.Parameter(embedding.to(dtype))
        self.kernels = nn.ParameterList([nn.Parameter(K.to(dtype)) for K in kernels])
        self.head = nn.Parameter(head.to(dtype))
        # What iterations inside training remember; part of a checkpoint, so that a resumed run is the same run.
        for layer, K in enumerate(self.kernels):
            self.register_buffer(f"basis_{layer}", constants.leading_basis(K.detach()))
        self.register_buffer("candidates", torch.zeros(_CANDIDATES, 4, dtype=torch.long))
        self.register_buffer("steps", torch.zeros((), dtype=torch.long))

    def forward(self, texts: EncodedTexts) -> Tensor:
        """Return the scores of a batch, with gradients through the constants."""
        if self.config.method != "lipschitz":
            return self._scores(self.embedding, list(self.kernels), self.head, texts)
        if self.config.normaliser == "edits":
            scores, G = self._edit_scores(texts)
            return scores / G.tril(-1).amax()
        if self.config.normaliser == "substitution":
            return self._scores(self.embedding, list(self.kernels), self.head / self._substitution_constant(), texts)
        if self._is_shallow:
            E, K, W = self.embedding, self.kernels[0], self.head
            return shallow_scores(E, K, W, self.config.p, self.get_buffer("basis_0"), texts, self.config.threads)
        if (
            self._homogeneous
        ):  # dividing every layer is the same as dividing the result, which saves a loop over the weights
            return self._scores(self.embedding, list(self.kernels), self.head / self.margin_constant(), texts)
        p = self.config.p
        return self._scores(
            self.embedding / constants.embedding_constant(self.embedding, p),
            [K / (self._kernel_constant(layer) * self._stretch) for layer, K in enumerate(self.kernels)],
            self.head / constants.head_constant(self.head, p),
            texts,
        )

    def logits(self, texts: EncodedTexts, labels: Tensor) -> Tensor:
        """Return what the loss compares: the scores, or each f_ŷ − f_y divided by the constant of its two classes."""
        each = self.config.normaliser == "edits" and self.config.constants == "each"
        if self.config.method != "lipschitz" or not each:
            return cast("Tensor", self(texts))
        scores, G = self._edit_scores(texts)
        return (scores - scores.gather(1, labels[:, None])) / G[labels]

    def _edit_scores(self, texts: EncodedTexts) -> tuple[Tensor, Tensor]:
        """Return the scores of the raw weights, and what one edit can take from their margins."""
        E, kernels, W = self.embedding, list(self.kernels), self.head
        table = table_of(E, kernels[0])
        G = edit_constants(table, kernels[1:], W, get_activation(self.config.activation))
        return self._scores(E, kernels, W, texts, table), G

    def _scores(
        self, E: Tensor, kernels: list[Tensor], W: Tensor, texts: EncodedTexts, table: Tensor | None = None
    ) -> Tensor:
        if self.config.device == "cpu":
            features = pooled_features(E, kernels, texts, self.config.activation, self.config.threads, table)
        else:
            features = plain_pooled_features(E, kernels, texts, self.config.activation)
        if self.config.pooling == "mean":
            counts = np.maximum(texts.lengths + sum(len(K) - 1 for K in kernels), 1)
            features = features / torch.from_numpy(counts).to(features)[:, None]
        return features @ W.T

    def margin_constant(self) -> Tensor:
        """G = M(W) · Π M(K⁽ⁱ⁾) · M(E): what the 1-Lipschitz form divides by, and what the penalty holds down."""
        p = self.config.p
        G = constants.head_constant(self.head, p) * constants.embedding_constant(self.embedding, p)
        for layer in range(len(self.kernels)):
            G = G * self._kernel_constant(layer) * self._stretch
        return G

    def fold(self, alphabet: Alphabet, labels: tuple[str, ...]) -> ConvModel:
        """Return the plain model: weights divided by exact constants, in float64."""
        E, *rest = (
            weight.detach().cpu().numpy().astype(np.float64) for weight in (self.embedding, *self.kernels, self.head)
        )
        kernels, W = rest[:-1], rest[-1]
        if self.config.method == "lipschitz" and self.config.normaliser == "norms":
            p = self.config.p
            E = E / norms.embedding_constant(E, p)
            kernels = [K / (norms.kernel_constant(K, p) * self._stretch) for K in kernels]
            W = W / norms.head_constant(W, p)
        elif self.config.method == "lipschitz" and self.config.normaliser == "substitution":
            table, head = torch.from_numpy(np.einsum("ad,jhd->ajh", E, kernels[0])), torch.from_numpy(W)
            worst = constants.worst_substitutions(table, head, 1)
            W = W / float(constants.substitution_constant(table, head, worst))
        options: dict[str, Any] = {"activation": self.config.activation, "pooling": self.config.pooling}
        model = ConvModel(alphabet, E, kernels, W, labels=labels, **options)
        if self.config.method == "lipschitz" and self.config.normaliser == "edits":
            largest = max(float(costs.max()) for costs in model.tap_costs.edit_costs())
            model = ConvModel(alphabet, E, kernels, W / (largest or math.nan), labels=labels, **options)
        return model

    def _kernel_constant(self, layer: int) -> Tensor:
        return constants.kernel_constant(self.kernels[layer], self.config.p, self.get_buffer(f"basis_{layer}"))

    def _substitution_constant(self) -> Tensor:
        table = table_of(self.embedding, self.kernels[0])[1:]
        if self.training and int(self.steps) % _SEARCH_EVERY == 0:
            found = constants.worst_substitutions(table, self.head, _CANDIDATES)
            self.candidates[: len(found)] = found
            self.candidates[len(found) :] = found[:1]
        if self.training:
            self.steps += 1
        return constants.substitution_constant(table, self.head, self.candidates)
