"""The paper's classifier: embedding, convolutions with activations, pooling, head; no bias anywhere."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from levcert.errors import InputError
from levcert.files.tensor_file import Tensors
from levcert.models import conv_bounds, norms
from levcert.models.activations import get_activation
from levcert.models.class_labels import check_labels
from levcert.models.edit_effects import Positions, Scores, hole_contexts
from levcert.models.model_file import Header, check_room, take, write_model
from levcert.models.tap_bounds import UNDERFLOW, TapCosts, WindowRange, rounding_factor
from levcert.models.training_record import TrainingRecord
from levcert.models.window import WindowModel
from levcert.text.alphabet import Alphabet, EncodedTexts, Ids, Text

Array = npt.NDArray[np.float64]
Pooling = Literal["sum", "mean"]

_NO_BIAS = "With a bias, empty windows would have a score, and the network would not be a window sum"
_MOST_WINDOWS = 1 << 40  # more than any text has
_WIDEST_WINDOW = 1024
_ROWS_AT_ONCE = 1 << 15  # of intermediate layers: bounds memory to some tens of megabytes


class ConvModel(WindowModel):
    """f(S) = (Σ_i h_i) Wᵀ with h = σ(C⁽ˡ⁾ … σ(C⁽¹⁾(S E)))  (Equation "conv_model").

    ``embedding`` is symbols × d, each kernel taps × filters × inputs, ``head`` classes × filters.  As a window sum
    its width is 1 + Σ(taps − 1).

    Mean pooling divides all scores of a text by the same number of positions.  That changes no order of scores,
    so labels and certificates are those of the sum, and no lemma on means is needed; only :meth:`scores` divides.

    Examples:
        >>> import numpy as np
        >>> model = levcert.ConvModel(levcert.Alphabet("ab"), np.eye(2), [np.ones((3, 4, 2))], np.eye(2, 4))
        >>> model.scores(["ab"]).shape
        (1, 2)
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
        training: TrainingRecord | Mapping[str, Any] | None = None,
    ) -> None:
        if bias is not None:
            raise InputError(f"{_NO_BIAS}; train it without a bias.")
        if not isinstance(alphabet, Alphabet):
            raise InputError(f"alphabet must be an Alphabet(...), not {alphabet!r}.")
        if not isinstance(kernels, Sequence | np.ndarray):
            raise InputError("kernels must be a list of arrays, one for each layer.")
        self.alphabet = alphabet
        self.embedding = _weights("embedding", embedding, 2)
        self.kernels = tuple(_weights("kernel", kernel, 3) for kernel in kernels)
        self.head = _weights("head", head, 2)
        self.labels = check_labels([str(y) for y in range(len(self.head))] if labels is None else labels)
        self.activation = get_activation(activation)
        self.pooling = pooling
        self.training = TrainingRecord.of(training)
        self._check_shapes()
        # T[a, j] = e_a K_jᵀ, with a zero row for the padding: see levcert.kernels.conv_scores
        with np.errstate(over="ignore", invalid="ignore"):
            table = np.einsum("ad,jhd->ajh", self.embedding, self.kernels[0])
        self.table = np.pad(table, ((1, 0), (0, 0), (0, 0)))
        self.table.setflags(write=False)
        self._by_symbol = np.ascontiguousarray(self.table[1:].transpose(1, 2, 0))  # taps × filters × symbols
        self._by_symbol_largest = self._by_symbol.max(axis=2)
        self._constants: dict[float, Array] = {}
        self._replacement_costs: dict[int, Array] = {}
        self._deeper = tuple(np.ascontiguousarray(kernel.transpose(0, 2, 1)) for kernel in self.kernels[1:])
        if not np.isfinite(self.rounding(_MOST_WINDOWS)):
            raise InputError(
                "The weights are so large that scores overflow; scale them down (the labels stay the same)."
            )

    @property
    def width(self) -> int:
        return 1 + sum(len(kernel) - 1 for kernel in self.kernels)

    def constants(self, p: float) -> Array:
        """Return the paper's G(y, ŷ) for all pairs of classes: proved for substitutions only."""
        if p not in self._constants:
            stretch = self.activation.lipschitz ** len(self.kernels)
            self._constants[p] = norms.margin_constants(self.embedding, self.kernels, self.head, p) * stretch
        return self._constants[p].copy()

    def scores(self, texts: Sequence[Text]) -> Scores:
        """Return the scores of texts, divided by the number of positions with mean pooling."""
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
        return self._head(self.context_features(contexts))

    def context_features(self, contexts: Ids) -> Array:
        """Return the sum of the last layer over all windows inside each row of ids."""
        count, length = contexts.shape
        if length < self.width:
            return np.zeros((count, self.head.shape[1]))
        offsets = np.arange(count + 1, dtype=np.int64) * length
        flat = np.ascontiguousarray(contexts, dtype=np.int32).reshape(-1)
        return self._pooled(EncodedTexts(flat, offsets), padded=False)

    def hole_scores(self, padded: Ids, lefts: Positions, rights: Positions) -> Scores:
        if self._deeper:
            return super().hole_scores(padded, lefts, rights)
        return self._hole(padded, lefts, rights, bounds=False)[0]

    def hole_window_scores(self, padded: Ids, lefts: Positions, rights: Positions) -> Scores:
        if self._deeper:
            return super().hole_window_scores(padded, lefts, rights)
        from levcert.kernels.conv_edits import hole_windows

        scores = np.empty((len(lefts), self.width, self.classes, self.alphabet.size))
        tables = self.table, self._by_symbol, self._by_symbol_largest
        hole_windows(*tables, padded, lefts, rights, self.activation.code, self.head, scores)
        return scores

    def replacement_costs(self, label: int) -> Array | None:
        """The exact form, for one layer; kept for each label once computed."""
        if self._deeper:
            return None
        if label not in self._replacement_costs:
            costs = conv_bounds.replacement_costs(self.table, self.head, self.activation, label)
            self._replacement_costs[label] = costs
        return self._replacement_costs[label]

    def hole_bounds(self, padded: Ids, lefts: Positions, rights: Positions) -> tuple[Array, Array]:
        """Return the least and the largest pooled features over all symbols in each hole."""
        if not self._deeper:
            return self._hole(padded, lefts, rights, bounds=True)[1:]
        low, high = (np.empty((len(lefts), self.head.shape[1])) for _ in range(2))
        for part, contexts in hole_contexts(self, padded, lefts, rights):
            features = self.context_features(contexts).reshape(-1, self.alphabet.size, low.shape[1])
            low[part], high[part] = features.min(axis=1), features.max(axis=1)
        return low, high

    def _hole(self, padded: Ids, lefts: Positions, rights: Positions, *, bounds: bool) -> tuple[Scores, Array, Array]:
        from levcert.kernels.conv_edits import hole_features

        scores = np.empty((len(lefts), self.alphabet.size, self.classes))
        low, high = (np.empty((len(lefts) if bounds else 0, self.head.shape[1])) for _ in range(2))
        tables = self.table, self._by_symbol, self._by_symbol_largest
        hole_features(*tables, padded, lefts, rights, self.activation.code, self.head, scores, low, high)
        return scores, low, high

    @property
    def bound_operations(self) -> float:
        """About how many operations ``tap_costs`` takes, the first time."""
        return conv_bounds.operations(self.table, self.classes)

    @cached_property
    def tap_costs(self) -> TapCosts:
        """The exact form for one layer; for more the norm form with the best p, or signs where they are better."""
        if self._deeper:
            return conv_bounds.deep_form(self.embedding, self.table, self.kernels, self.head, self.activation)
        return conv_bounds.exact_form(self.table, self.head, self.activation)

    @cached_property
    def window_range(self) -> WindowRange | None:
        """±Σ_h |w_h| if the last activation is bounded by 1 (tanh), rounded up; unknown otherwise."""
        if not self.activation.bounded:
            return None
        differences = np.abs(self.head[:, None] - self.head[None]).sum(axis=2)
        limit = differences * (1 + rounding_factor(2 * self.head.shape[1])) + self.head.shape[1] * UNDERFLOW
        return WindowRange(-limit, limit)

    def rounding(self, windows: int) -> float:
        """Standard forward error analysis: pool the error of one window, then apply the head."""
        with np.errstate(over="ignore", invalid="ignore"):
            magnitude, error = self._window_error
            pooled = windows * (error + rounding_factor(windows + 2) * (magnitude + error))
            heads = np.abs(self.head)
            total = heads @ (pooled + rounding_factor(heads.shape[1] + 2) * (windows * magnitude + pooled))
            bound = float(total.max()) + 4 * heads.shape[1] * UNDERFLOW
        return bound if bound >= 0 else math.inf

    @cached_property
    def _window_error(self) -> tuple[Array, Array]:
        return conv_bounds.window_error(self.embedding, self.kernels, self.table, self.activation)

    def pooled_features(self, texts: EncodedTexts) -> Array:
        """Return the sum over positions of the last layer, before the head."""
        return self._pooled(texts, padded=True)

    def _pooled(self, texts: EncodedTexts, *, padded: bool) -> Array:
        from levcert.kernels.conv_scores import table_features

        features = np.zeros((len(texts), self.head.shape[1]))
        if not self._deeper:
            padding = self.width - 1 if padded else 0
            table_features(self.table, texts.ids, texts.offsets, padding, self.activation.code, features)
            return features
        for first, last in _parts(texts.lengths, _ROWS_AT_ONCE):
            if padded and last == first + 1 and texts.lengths[first] > 2 * _ROWS_AT_ONCE:
                features[first] = self._pooled_long(texts[first])
            else:
                features[first:last] = self._pooled_deep(texts.part(first, last), padded=padded)
        return features

    def _pooled_long(self, ids: Ids) -> Array:
        """Evaluate a long text some windows at a time, and add them up in the same order: the same bits.

        Padding has the embedding 0, and σ(0) = 0, so a text with padding written out has the same rows.
        """
        side, sums = self.width - 1, np.zeros(self.head.shape[1])
        windows = len(ids) + side
        for first in range(0, windows, _ROWS_AT_ONCE):
            last = min(first + _ROWS_AT_ONCE, windows)
            # Window i holds the symbols i − side … i.
            inside = ids[max(0, first - side) : last]
            part = np.pad(inside, (max(0, side - first), max(0, last - len(ids))))
            sums = self._pooled_deep(EncodedTexts.single(part), padded=False, sums=sums[None])[0]
        return sums

    def _pooled_deep(self, texts: EncodedTexts, *, padded: bool, sums: Array | None = None) -> Array:
        """Evaluate layer by layer; between layers, sequences lie one after the other.  Rows are added to ``sums``."""
        from levcert.kernels.conv_scores import activate_rows, convolve_rows, sum_rows, table_rows

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
        sums = np.zeros((len(texts), values.shape[1])) if sums is None else sums
        sum_rows(values, offsets, sums)
        return sums

    def _head(self, features: Array) -> Scores:
        from levcert.kernels.conv_scores import head_scores

        scores = np.empty((len(features), self.classes))
        head_scores(features, self.head, scores)
        return scores

    def save(self, path: str | Path) -> None:
        """Write the model to one ``.safetensors`` file, completely or not at all."""
        options = {"activation": self.activation.name, "pooling": self.pooling, "layers": len(self.kernels)}
        tensors = {"embedding": self.embedding, "head": self.head}
        tensors |= {f"kernel.{layer}": kernel for layer, kernel in enumerate(self.kernels)}
        write_model(path, Header("conv", self.alphabet, self.labels, options, self.training), tensors)

    @classmethod
    def from_storage(cls, header: Header, tensors: Tensors) -> ConvModel:
        """Build the model from the contents of its file."""
        layers = header.options.get("layers")
        if type(layers) is not int or layers < 1:
            raise InputError(f"its header has the invalid number of layers {layers!r}; the file is damaged.")
        if layers > len(tensors):
            raise InputError(f"its header names {layers:,} layers, and there are {len(tensors)} tensors.")
        stored = dict(tensors)
        kernels = [take(tensors, f"kernel.{layer}", (None, None, None)) for layer in range(layers)]
        taps, filters, _ = kernels[0].shape
        check_room("its tables", 8 * (header.alphabet.size + 1) * taps * filters, stored)
        embedding = take(tensors, "embedding", (header.alphabet.size, kernels[0].shape[2]))
        head = take(tensors, "head", (len(header.labels), kernels[-1].shape[1]))
        if any("bias" in name for name in tensors):
            raise InputError(f"it contains a bias. {_NO_BIAS}; train it without one.")
        if tensors:
            raise InputError(f"it contains tensors that do not belong to a convolutional model: {sorted(tensors)}.")
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
            raise InputError("A convolutional model needs at least one kernel.")
        if self.pooling not in ("sum", "mean"):
            raise InputError(f"pooling must be sum or mean, not {self.pooling!r}.")
        if len(self.embedding) != self.alphabet.size:
            raise InputError(
                f"The embedding has {len(self.embedding)} rows for an alphabet of {self.alphabet.size} symbols."
            )
        if len(self.head) != len(self.labels):
            raise InputError(f"The head has {len(self.head)} rows for {len(self.labels)} labels.")
        if self.width > _WIDEST_WINDOW:
            raise InputError(f"Its windows have {self.width:,} characters; at most {_WIDEST_WINDOW:,} are supported.")
        outputs = self.embedding.shape[1]
        for layer, kernel in enumerate(self.kernels):
            if kernel.shape[2] != outputs:
                raise InputError(
                    f"Kernel {layer} takes {kernel.shape[2]} inputs, but the layer below has {outputs} outputs."
                )
            outputs = kernel.shape[1]
        if self.head.shape[1] != outputs:
            raise InputError(
                f"The head takes {self.head.shape[1]} features, but the last kernel has {outputs} filters."
            )


def _weights(name: str, values: npt.ArrayLike, dimensions: int) -> Array:
    try:
        array = np.array(values, dtype=np.float64, order="C")  # a copy: what is certified must not change
    except (TypeError, ValueError):
        raise InputError(f"The {name} is not an array of numbers.") from None
    if array.ndim != dimensions or array.size == 0:
        raise InputError(f"The {name} has the shape {array.shape}; it needs {dimensions} dimensions, none of size 0.")
    if not np.isfinite(array).all():
        raise InputError(f"The {name} contains NaN or infinity; train again with a lower learning rate.")
    array.setflags(write=False)
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
