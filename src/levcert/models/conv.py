"""The paper's classifier: embedding, convolutions with activations, pooling, head; no bias anywhere."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from levcert.alphabet import Alphabet, EncodedTexts, Ids, Text
from levcert.errors import InputError
from levcert.models.activations import get_activation
from levcert.models.norms import margin_constants
from levcert.models.window import Scores, WindowModel, check_labels
from levcert.storage import Header, Tensors, take, write_model

Array = npt.NDArray[np.float64]
Pooling = Literal["sum", "mean"]

_NO_BIAS = "With a bias, empty windows score and every padded position counts: the network is no window sum"
_ROWS_AT_ONCE = 1 << 15  # of intermediate layers: bounds memory to some tens of megabytes


class ConvModel(WindowModel):
    """f(S) = (Σ_i h_i) Wᵀ with h = σ(C⁽ˡ⁾ … σ(C⁽¹⁾(S E)))  (Equation "conv_model").

    ``embedding`` is symbols × d, each kernel taps × filters × inputs, ``head`` classes × filters.  As a window sum
    its width is 1 + Σ(taps − 1).

    Mean pooling divides all scores of a text by the same number of positions.  That changes no label and no
    order of scores, so the certificates of the sum hold for the mean, and no lemma on means is needed; only
    :meth:`scores` knows of it.
    """

    def __init__(
        self,
        alphabet: Alphabet,
        embedding: npt.ArrayLike,
        kernels: Sequence[npt.ArrayLike],
        head: npt.ArrayLike,
        *,
        labels: Sequence[str] | None = None,
        activation: str = "relu",
        pooling: Pooling = "sum",
        bias: object = None,
        training: dict[str, Any] | None = None,
    ) -> None:
        if bias is not None:
            raise InputError(f"{_NO_BIAS}; train it without bias.")
        self.alphabet = alphabet
        self.embedding = _weights("embedding", embedding, 2)
        self.kernels = tuple(_weights("kernel", kernel, 3) for kernel in kernels)
        self.head = _weights("head", head, 2)
        self.labels = check_labels([str(y) for y in range(len(self.head))] if labels is None else labels)
        self.activation = get_activation(activation)
        self.pooling = pooling
        self.training = dict(training or {})
        self._check_shapes()
        # T[a, j] = e_a K_jᵀ, with a zero row for the padding: see levcert.kernels.conv
        table = np.einsum("ad,jhd->ajh", self.embedding, self.kernels[0])
        self.table = np.pad(table, ((1, 0), (0, 0), (0, 0)))
        self._deeper = tuple(np.ascontiguousarray(kernel.transpose(0, 2, 1)) for kernel in self.kernels[1:])

    @property
    def width(self) -> int:
        return 1 + sum(len(kernel) - 1 for kernel in self.kernels)

    def constants(self, p: float) -> Array:
        """Return the paper's G(y, ŷ) for all pairs of classes: proved for substitutions only."""
        stretch = self.activation.lipschitz ** len(self.kernels)
        return margin_constants(self.embedding, self.kernels, self.head, p) * stretch

    def scores(self, texts: Sequence[Text]) -> Scores:
        encoded = self.alphabet.encode_many(texts)
        scores = self.encoded_scores(encoded)
        if self.pooling == "mean":
            scores /= np.maximum(encoded.lengths + self.width - 1, 1)[:, None]
        return scores

    def encoded_scores(self, texts: EncodedTexts) -> Scores:
        return self._head(self._pooled(texts, padded=True))

    def window_scores(self, windows: Ids) -> Scores:
        return self.context_scores(windows)

    def context_scores(self, contexts: Ids) -> Scores:
        count, length = contexts.shape
        if length < self.width:
            return np.zeros((count, self.classes))
        offsets = np.arange(count + 1, dtype=np.int64) * length
        flat = np.ascontiguousarray(contexts, dtype=np.int32).reshape(-1)
        return self._head(self._pooled(EncodedTexts(flat, offsets), padded=False))

    def pooled_features(self, texts: EncodedTexts) -> Array:
        """Return the sum over positions of the last layer, before the head."""
        return self._pooled(texts, padded=True)

    def _pooled(self, texts: EncodedTexts, *, padded: bool) -> Array:
        from levcert.kernels.conv import table_features

        features = np.zeros((len(texts), self.head.shape[1]))
        if not self._deeper:
            padding = self.width - 1 if padded else 0
            table_features(self.table, texts.ids, texts.offsets, padding, self.activation.code, features)
            return features
        for first, last in _parts(texts.lengths, _ROWS_AT_ONCE):
            part = EncodedTexts(
                texts.ids[texts.offsets[first] : texts.offsets[last]],
                texts.offsets[first : last + 1] - texts.offsets[first],
            )
            features[first:last] = self._pooled_deep(part, padded=padded)
        return features

    def _pooled_deep(self, texts: EncodedTexts, *, padded: bool) -> Array:
        """Evaluate layer by layer; between layers, sequences lie one after the other."""
        from levcert.kernels.conv import activate_rows, convolve_rows, sum_rows, table_rows

        offsets, values = texts.offsets, np.zeros((0, 0))
        for layer, kernel in enumerate(self.kernels):
            taps, filters, _ = kernel.shape
            grown = np.diff(offsets) + (taps - 1 if padded else 1 - taps)
            grown[np.diff(offsets) == 0] = 0
            after = np.concatenate([[0], np.cumsum(grown)])
            out = np.empty((int(after[-1]), filters))
            padding = taps - 1 if padded else 0
            if layer == 0:
                table_rows(self.table, texts.ids, offsets, padding, out, after)
            else:
                convolve_rows(values, offsets, self._deeper[layer - 1], padding, out, after)
            activate_rows(out, self.activation.code)
            offsets, values = after, out
        sums = np.zeros((len(texts), values.shape[1]))
        sum_rows(values, offsets, sums)
        return sums

    def _head(self, features: Array) -> Scores:
        from levcert.kernels.conv import head_scores

        scores = np.empty((len(features), self.classes))
        head_scores(features, self.head, scores)
        return scores

    def save(self, path: str | Path) -> None:
        """Write the model to one ``.safetensors`` file, whole or not at all."""
        options = {"activation": self.activation.name, "pooling": self.pooling, "layers": len(self.kernels)}
        tensors = {"embedding": self.embedding, "head": self.head}
        tensors |= {f"kernel.{layer}": kernel for layer, kernel in enumerate(self.kernels)}
        write_model(path, Header("conv", self.alphabet, self.labels, options, self.training), tensors)

    @classmethod
    def from_storage(cls, header: Header, tensors: Tensors) -> ConvModel:
        """Build the model from the contents of its file."""
        layers = header.options.get("layers")
        if not isinstance(layers, int) or layers < 1:
            raise InputError(f"The file says that the model has {layers!r} layers.")
        kernels = [take(tensors, f"kernel.{layer}", (None, None, None)) for layer in range(layers)]
        embedding = take(tensors, "embedding", (header.alphabet.size, kernels[0].shape[2]))
        head = take(tensors, "head", (len(header.labels), kernels[-1].shape[1]))
        if any("bias" in name for name in tensors):
            raise InputError(f"The file holds a bias. {_NO_BIAS}; train it without bias.")
        if tensors:
            raise InputError(f"The file holds tensors that no convolutional model has: {sorted(tensors)}.")
        return cls(
            header.alphabet,
            embedding,
            kernels,
            head,
            labels=header.labels,
            activation=header.options.get("activation", "relu"),
            pooling=header.options.get("pooling", "sum"),
            training=header.training,
        )

    @classmethod
    def from_torch(
        cls, alphabet: Alphabet, embedding: Any, convolutions: Sequence[Any], head: Any, **options: Any
    ) -> ConvModel:
        """Import ``nn.Embedding``, ``nn.Conv1d`` layers and ``nn.Linear``; row a − 1 of the embedding is symbol a."""
        for layer in (*convolutions, head):
            if layer.bias is not None:
                raise InputError(f"The layer {layer} has a bias. {_NO_BIAS}; train it with bias=False.")
        for layer in convolutions:
            taps = layer.kernel_size[0]
            if (layer.stride[0], layer.dilation[0], layer.groups) != (1, 1, 1) or layer.padding != (taps - 1,):
                raise InputError(f"The layer {layer} needs stride 1, dilation 1, groups 1 and padding {taps - 1}.")
        arrays = [layer.weight.detach().cpu().numpy() for layer in (embedding, *convolutions, head)]
        kernels = [weight.transpose(2, 0, 1) for weight in arrays[1:-1]]
        return cls(alphabet, arrays[0], kernels, arrays[-1], **options)

    def __repr__(self) -> str:
        sizes = " → ".join(f"{len(k)}×{k.shape[1]}" for k in self.kernels)
        return (
            f"<ConvModel {self.alphabet.size} symbols → {self.embedding.shape[1]} → {sizes} → {self.classes} classes>"
        )

    def _check_shapes(self) -> None:
        if not self.kernels:
            raise InputError("A convolutional model has at least one kernel.")
        if self.pooling not in ("sum", "mean"):
            raise InputError(f"Pooling is sum or mean, not {self.pooling!r}.")
        if len(self.embedding) != self.alphabet.size:
            raise InputError(
                f"The embedding has {len(self.embedding)} rows for an alphabet of {self.alphabet.size} symbols."
            )
        if len(self.head) != len(self.labels):
            raise InputError(f"The head has {len(self.head)} rows for {len(self.labels)} labels.")
        outputs = self.embedding.shape[1]
        for layer, kernel in enumerate(self.kernels):
            if kernel.shape[2] != outputs:
                raise InputError(f"Kernel {layer} takes {kernel.shape[2]} inputs, and the layer below gives {outputs}.")
            outputs = kernel.shape[1]
        if self.head.shape[1] != outputs:
            raise InputError(f"The head takes {self.head.shape[1]} features, and the last kernel gives {outputs}.")


def _weights(name: str, values: npt.ArrayLike, dimensions: int) -> Array:
    array = np.ascontiguousarray(values, dtype=np.float64)
    if array.ndim != dimensions or array.size == 0:
        raise InputError(
            f"The {name} has the shape {array.shape}; it needs {dimensions} dimensions, none of them empty."
        )
    if not np.isfinite(array).all():
        raise InputError(f"The {name} holds NaN or infinity; look where it was trained, with a lower learning rate.")
    return array


def _parts(lengths: npt.NDArray[np.int64], most: int) -> list[tuple[int, int]]:
    """Cut a run of sequences into parts of about ``most`` rows."""
    parts, first, rows = [], 0, 0
    for index, length in enumerate(lengths):
        rows += int(length)
        if rows >= most:
            parts.append((first, index + 1))
            first, rows = index + 1, 0
    return [*parts, (first, len(lengths))] if first < len(lengths) else parts
