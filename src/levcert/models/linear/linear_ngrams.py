"""A linear model over character n-grams: f(P) = b + Σ over the n-grams of P of their weights, divided by a norm or not.

With x the vector of n-gram counts, each times its idf,

    f_c(P) = b_c + (Σ_g w_cg·x_g) / ‖x‖        (or without the norm; an x of zeros is not divided)

Scores are computed in the order in which scikit-learn computes them, so that labels are those of ``pipeline.predict``.
It is not a :class:`WindowModel`: the norm is not a sum over windows, and collapsing white space can turn one edit of a
text into several of what the model sees.  levcert.certifiers.linear_search accounts for both.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Final, Literal

import numpy as np
import numpy.typing as npt

from levcert.errors import InputError
from levcert.files.tensor_file import Tensors
from levcert.models.class_labels import check_labels
from levcert.models.linear.front_end import FrontEnd
from levcert.models.linear.trie import Trie
from levcert.models.model_file import Header, take, write_model
from levcert.models.training_record import TrainingRecord
from levcert.text.alphabet import Alphabet
from levcert.text.folding import Fold

Array = npt.NDArray[np.float64]
Norm = Literal["l1", "l2"]
_TEXTS_AT_ONCE: Final = 1024
_LARGEST: Final = 1e50  # of the weights, and of the idf and their inverses


class LinearNgrams:
    """``grams`` are rows of ids (see :class:`FrontEnd`) filled up with zeros; ``weights`` n-grams × classes.

    Examples:
        >>> from sklearn.feature_extraction.text import TfidfVectorizer
        >>> from sklearn.linear_model import LogisticRegression
        >>> from sklearn.pipeline import make_pipeline
        >>> texts, labels = ["win a prize", "free money", "see you at lunch", "dinner?"], ["spam", "spam", "ham", "ham"]
        >>> vectorizer = TfidfVectorizer(analyzer="char", ngram_range=(1, 3))
        >>> pipeline = make_pipeline(vectorizer, LogisticRegression()).fit(texts, labels)
        >>> levcert.from_sklearn(pipeline).labels
        ('ham', 'spam')
    """

    def __init__(
        self,
        front_end: FrontEnd,
        grams: npt.NDArray[np.int32],
        weights: Array,
        intercept: Array,
        *,
        idf: Array | None = None,
        norm: Norm | None = None,
        labels: Sequence[str],
        origin: str = "",
    ) -> None:
        self.front_end = front_end
        self.grams = grams
        self.weights = np.ascontiguousarray(weights, dtype=np.float64)
        self.intercept = np.ascontiguousarray(intercept, dtype=np.float64)
        self.idf = None if idf is None else np.ascontiguousarray(idf, dtype=np.float64)
        self.norm: Norm | None = norm
        self.labels = check_labels(labels)
        self.origin = origin
        self.training = TrainingRecord.of({"config": {"model": origin}} if origin else None)
        shape = (len(grams), len(self.labels))
        if grams.ndim != 2 or self.weights.shape != shape or self.intercept.shape != shape[1:]:
            raise InputError(
                f"Weights of shape {self.weights.shape} do not fit {shape[0]} n-grams and {shape[1]} classes."
            )
        if self.idf is not None and self.idf.shape != shape[:1]:
            raise InputError(f"There are {len(self.idf)} idf factors for {shape[0]} n-grams.")
        if grams.size and not 0 <= grams.min() <= grams.max() <= len(front_end.characters):
            raise InputError("An n-gram contains an id outside the vocabulary's characters.")
        alone = (grams[:, :1] == front_end.space).any(axis=1) & ((grams != 0).sum(axis=1) == 1)
        if front_end.word_boundaries and alone.any():
            raise InputError(
                "An n-gram is a space alone, which char_wb counts twice between words and not at all in an empty text; "
                "use ngram_range=(2, …)."
            )
        if norm not in (None, "l1", "l2"):
            raise InputError(f"norm must be l1, l2 or None, not {norm!r}.")
        if not (self.factors > 0).all():
            raise InputError("An idf is not positive, which scikit-learn never computes; fit the pipeline again.")
        # Within these limits no product of the bounds in linear_search overflows; what overflows proves anything.
        for name, numbers in (
            ("weights", self.weights), ("intercept", self.intercept), ("idf", self.factors), ("idf", 1 / self.factors)
        ):  # fmt: skip
            if not (np.abs(numbers) <= _LARGEST).all():
                raise InputError(
                    f"The {name} contain a number beyond {_LARGEST:g}, or NaN, about which nothing can be proved; "
                    "scale the features and fit the pipeline again."
                )

    @property
    def classes(self) -> int:
        return len(self.labels)

    @property
    def width(self) -> int:
        """R, the length of the longest n-gram."""
        return int(self.grams.shape[1])

    @cached_property
    def trie(self) -> Trie:
        return Trie.of(self.grams)

    @property
    def factors(self) -> Array:
        """The idf of each n-gram; 1 without idf."""
        return np.ones(len(self.grams)) if self.idf is None else self.idf

    @cached_property
    def scaled(self) -> Array:
        """w_cg · idf_g: what one more n-gram g adds to the score of class c, times the norm."""
        return self.weights * self.factors[:, None]

    def scores(self, texts: Sequence[str]) -> Array:
        """Return the scores of texts, one row each and one column per class; with two classes, the first may be 0."""
        from levcert.kernels.ngram_trie import score_texts

        if isinstance(texts, str | bytes):
            raise InputError("Expected a list of texts, got a single text; write [text].")
        scores, trie = np.zeros((len(texts), self.classes)), self.trie
        idf = np.zeros(0) if self.idf is None else self.idf
        norm = {None: 0, "l1": 1, "l2": 2}[self.norm]
        for start in range(0, len(texts), _TEXTS_AT_ONCE):
            part = slice(start, start + _TEXTS_AT_ONCE)
            ids, offsets = self.front_end.encode_many(texts[part])
            score_texts(
                trie.begin, trie.symbol, trie.row, trie.width, ids, offsets,
                self.weights, idf, self.intercept, norm, scores[part],
            )  # fmt: skip
        return scores

    def predict(self, texts: Sequence[str]) -> npt.NDArray[np.str_]:
        """Return the label with the highest score of each text; of equal ones, the first."""
        labels: npt.NDArray[np.str_] = np.array(self.labels)[self.scores(texts).argmax(axis=1)]
        return labels

    def counts(self, text: str) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """Return the rows of a text's n-grams in rising order, and how often each occurs."""
        from levcert.kernels.ngram_trie import rows_of_text

        ids, _ = self.front_end.encode_many([text])
        trie, found = self.trie, np.zeros(len(ids) * self.trie.width + 1, dtype=np.int64)
        count = rows_of_text(trie.begin, trie.symbol, trie.row, trie.width, ids, found)
        return np.unique(found[:count], return_counts=True)

    def __repr__(self) -> str:
        lengths = (self.grams != 0).sum(axis=1)
        orders = f"{lengths.min()}–{lengths.max()}" if len(lengths) else "no"
        kind = f"{self.origin}, " if self.origin else ""
        return f"LinearNgrams({kind}{len(self.grams):,} {orders}-grams, norm={self.norm}, {self.classes} classes)"

    def save(self, path: str | Path) -> None:
        """Write the model to one ``.safetensors`` file, completely or not at all."""
        front = self.front_end
        options: dict[str, Any] = {
            "lowercase": front.lowercase,
            "strip_accents": front.strip_accents,
            "word_boundaries": front.word_boundaries,
            "norm": self.norm,
            "origin": self.origin,
        }
        alphabet = Alphabet(front.characters, fold=Fold("none"), unknown="symbol")
        tensors: Tensors = {"grams": self.grams, "weights": self.weights, "intercept": self.intercept}
        if self.idf is not None:
            tensors["idf"] = self.idf
        write_model(path, Header("linear", alphabet, self.labels, options, self.training), tensors)

    @classmethod
    def from_storage(cls, header: Header, tensors: Tensors) -> LinearNgrams:
        options = dict(header.options)
        norm, origin = options.pop("norm", None), options.pop("origin", "")
        try:
            front_end = FrontEnd(header.alphabet.symbols, **options)
        except TypeError:
            raise InputError(f"its header has the options {sorted(options)}; the file is damaged.") from None
        grams = take(tensors, "grams", (None, None)).astype(np.int32)
        weights = take(tensors, "weights", (len(grams), len(header.labels)))
        intercept = take(tensors, "intercept", (len(header.labels),))
        idf = take(tensors, "idf", (len(grams),)) if "idf" in tensors else None
        model = cls(front_end, grams, weights, intercept, idf=idf, norm=norm, labels=header.labels, origin=origin)
        model.training = header.training
        return model
