"""A table of certificates: its columns as arrays, what share of texts it verifies, and its files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, overload

import numpy as np
import numpy.typing as npt

from levcert.certificates.certificate import Certificate
from levcert.certificates.files import (
    CERTIFICATE_COLUMNS,
    certificate_record,
    read_certificates,
    write_certificates,
)  # fmt: skip
from levcert.certificates.share import Share
from levcert.errors import InputError
from levcert.files.html_table import html_table
from levcert.files.row_encoders import arrow_batch, arrow_schema, in_bytes

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

_SHOWN = 10  # rows in a notebook


class Certificates(Sequence[Certificate]):
    """A table of certificates; ``radius``, ``upper``, ``margin`` and ``label`` are its columns as arrays.

    Examples:
        >>> model = levcert.load("toy.safetensors")
        >>> rows = levcert.certify(model, ["hello world", "12e4567"], max_distance=3)
        >>> rows.radius
        array([2, 1])
        >>> print(rows.verified_accuracy(["letters", "digits"], k=1))
        100.0% [15.8%, 100.0%]
    """

    def __init__(self, rows: Iterable[Certificate]) -> None:
        self._rows = list(rows)

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[Certificate]:
        return iter(self._rows)

    @overload
    def __getitem__(self, index: int) -> Certificate: ...
    @overload
    def __getitem__(self, index: slice) -> Certificates: ...
    def __getitem__(self, index: int | slice) -> Certificate | Certificates:
        return Certificates(self._rows[index]) if isinstance(index, slice) else self._rows[index]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Certificates) and self._rows == other._rows

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        methods = ", ".join(sorted({row.method for row in self})) or "no method"
        return f"<{len(self)} certificates by {methods}>"

    def _repr_html_(self) -> str:
        """Show a notebook the first rows."""
        shown = [(row.text, row.label, row.radius, row.claim, row.counterexample) for row in self._rows[:_SHOWN]]
        more = f"; the first {_SHOWN}" * (len(self) > _SHOWN)
        return html_table(("text", "label", "radius", "claim", "counterexample"), shown, repr(self)[1:-1] + more)

    @cached_property
    def radius(self) -> npt.NDArray[np.int64]:
        return np.array([row.radius for row in self], dtype=np.int64)

    @cached_property
    def upper(self) -> npt.NDArray[np.float64]:
        """The distances of the nearest counterexamples found; NaN where none was."""
        return np.array([np.nan if row.upper is None else row.upper for row in self], dtype=np.float64)

    @cached_property
    def margin(self) -> npt.NDArray[np.float64]:
        """The margins; NaN where a classifier gave labels only."""
        return np.array([np.nan if row.margin is None else row.margin for row in self], dtype=np.float64)

    @cached_property
    def label(self) -> npt.NDArray[np.str_]:
        return np.array([row.label for row in self], dtype=np.str_)

    def verified_accuracy(self, truth: Sequence[str], k: int, *, confidence: float = 0.95) -> Share:
        """Return the share of texts that have the true label and a radius of at least k.

        At k = 0 this is the accuracy, except that a text for which smoothing abstained counts as wrong.
        """
        if len(truth) != len(self):
            raise InputError(f"There are {len(truth)} true labels for {len(self)} certificates.")
        right = self.label == np.array(truth, dtype=np.str_)
        return Share(int((right & (self.radius >= k)).sum()), len(self), confidence)

    def verified_recall(self, truth: Sequence[str], k: int, label: str, *, confidence: float = 0.95) -> Share:
        """Return the share of texts with the true label ``label`` that have this label and a radius of at least k.

        With one-sided certificates, this is the share of, say, spam that is caught and that k edits cannot make ham.
        """
        if len(truth) != len(self):
            raise InputError(f"There are {len(truth)} true labels for {len(self)} certificates.")
        own = np.array(truth, dtype=np.str_) == label
        held = own & (self.label == label) & (self.radius >= k)
        return Share(int(held.sum()), int(own.sum()), confidence)

    def save(self, path: str | Path) -> None:
        """Write a ``.csv``, ``.jsonl`` or ``.parquet`` file, completely or not at all; see docs/formats.md."""
        write_certificates(self, Path(path))

    @classmethod
    def read(cls, path: str | Path) -> Certificates:
        """Read what :meth:`save` wrote."""
        return cls(read_certificates(Path(path)))

    def to_arrow(self) -> pyarrow.Table:
        """Return the columns of docs/formats.md as an Arrow table."""
        import pyarrow as pa

        records = list(map(certificate_record, self))
        columns = {name: [record[name] for record in records] for name in CERTIFICATE_COLUMNS}
        schema = arrow_schema(CERTIFICATE_COLUMNS, in_bytes=in_bytes(columns, CERTIFICATE_COLUMNS))
        return pa.Table.from_batches([arrow_batch(columns, CERTIFICATE_COLUMNS, schema)], schema)

    def to_pandas(self) -> pandas.DataFrame:
        """Return the columns of docs/formats.md as a pandas frame; ``upper`` is an integer column with gaps."""
        try:
            import pandas
        except ImportError:
            raise InputError("to_pandas needs pandas; install it with: pip install pandas.") from None
        frame = self.to_arrow().to_pandas()
        frame["upper"] = pandas.array([row.upper for row in self], dtype="Int64")
        return frame

    def to_polars(self) -> polars.DataFrame:
        """Return the columns of docs/formats.md as a polars frame."""
        try:
            import polars
        except ImportError:
            raise InputError("to_polars needs polars; install it with: pip install polars.") from None
        return polars.from_arrow(self.to_arrow())

    def to_csv(self, path: str | Path) -> None:
        self._save_as(path, ".csv")

    def to_jsonl(self, path: str | Path) -> None:
        self._save_as(path, ".jsonl")

    def to_parquet(self, path: str | Path) -> None:
        self._save_as(path, ".parquet")

    def _save_as(self, path: str | Path, ending: str) -> None:
        if Path(path).suffix != ending:
            raise InputError(f"The file {path} does not end in {ending}; give it that ending, or use save().")
        self.save(path)
