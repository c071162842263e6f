"""Bounded votes: every character n-gram has one vote per class, and no vote exceeds B."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from levcert.errors import InputError
from levcert.files.tensor_file import Tensors
from levcert.models.class_labels import check_labels
from levcert.models.edit_effects import Mask, Positions, Scores
from levcert.models.model_file import Header, check_room, room, take, write_model
from levcert.models.ngram_orders import LARGEST_TABLE, SMALLEST_TABLE, check_orders
from levcert.models.tap_bounds import WindowRange
from levcert.models.training_record import TrainingRecord
from levcert.models.window import WindowModel
from levcert.text.alphabet import Alphabet, EncodedTexts, Ids

Votes = npt.NDArray[np.int8]

UNIT: Final = 2.0**-7  # a vote is a whole number of these: sums of votes are exact, so certificates need no allowance
LARGEST: Final = 127  # in units: B = 127/128


class VoteModel(WindowModel):
    """f(S) = Σ over the orders n, Σ over the n-grams of S padded with zeros, of the n-gram's votes.

    ``votes`` is orders × 2^b × classes, in units of 1/128.  An n-gram finds its row by a hash that the file format
    fixes (levcert.kernels.vote_scores).  Whether n-grams share a row is a matter of accuracy, not of soundness: the
    window sum *is* the sum of hashed rows, and every bound is computed from the rows as they are stored.

    Examples:
        >>> model = levcert.load("toy.safetensors")
        >>> model.orders, model.pruned(0.5).labels
        ((2, 3), ('letters', 'digits'))
    """

    def __init__(
        self,
        alphabet: Alphabet,
        votes: npt.ArrayLike,
        orders: Sequence[int],
        *,
        labels: Sequence[str] | None = None,
        training: TrainingRecord | Mapping[str, Any] | None = None,
    ) -> None:
        if not isinstance(alphabet, Alphabet):
            raise InputError(f"alphabet must be an Alphabet(...), not {alphabet!r}.")
        self.alphabet = alphabet
        self.orders = check_orders(orders)
        table = np.asarray(votes)
        if table.dtype != np.int8 or table.ndim != 3 or (table.size and table.min() < -LARGEST):
            raise InputError(
                "Votes must be integers from −127 to 127 (int8) in an array of orders × rows × classes; "
                "levcert.models.votes.quantised converts floats."
            )
        if table.shape[0] != len(self.orders):
            raise InputError(f"There are {table.shape[0]} tables of votes for {len(self.orders)} orders.")
        if not SMALLEST_TABLE <= table.shape[1] <= LARGEST_TABLE or table.shape[1] & (table.shape[1] - 1):
            raise InputError(f"The rows of a table must be a power of two from 2^12 to 2^24, not {table.shape[1]:,}.")
        self.labels = check_labels([str(y) for y in range(table.shape[2])] if labels is None else labels)
        if len(self.labels) != table.shape[2]:
            raise InputError(f"The votes are for {table.shape[2]} classes, but there are {len(self.labels)} labels.")
        self.training = TrainingRecord.of(training)
        # One more row of zeros, for n-grams that are only padding.
        self._votes = np.zeros((table.shape[0], table.shape[1] + 1, table.shape[2]), dtype=np.int8)
        self._votes[:, :-1] = table
        self._votes.setflags(write=False)
        self._orders = np.array(self.orders, dtype=np.int64)

    @property
    def votes(self) -> Votes:
        """The table, orders × rows × classes."""
        return self._votes[:, :-1]

    @property
    def width(self) -> int:
        return max(self.orders)

    @cached_property
    def parts(self) -> tuple[WindowModel, ...]:
        if len(self.orders) == 1:
            return (self,)
        return tuple(
            VoteModel(self.alphabet, self.votes[o : o + 1], [n], labels=self.labels) for o, n in enumerate(self.orders)
        )

    @cached_property
    def window_range(self) -> WindowRange:
        """The true range of the stored table for each pair of classes; of several orders, the sum of theirs."""
        high = self.highest_gains.sum(axis=2).T * UNIT  # of the votes for y rather than ŷ
        return WindowRange(-high.T, high)

    @property
    def score_unit(self) -> float:
        return UNIT

    @cached_property
    def used_rows(self) -> npt.NDArray[np.uint8]:
        """One bit for each row of each order: whether its votes differ between classes.  It fits the cache."""
        from levcert.kernels.search.ground import used_rows

        used = np.zeros((len(self.orders), -(-self.votes.shape[1] // 8)), dtype=np.uint8)
        used_rows(self._votes, used)
        return used

    @cached_property
    def highest_gains(self) -> Positions:
        """highest_gains[y, ŷ, o] = the most, in units, that an n-gram of order number o votes for ŷ rather than y."""
        from levcert.kernels.search.ground import highest_gains

        highest = np.zeros((self.classes, self.classes, len(self.orders)), dtype=np.int64)
        highest_gains(self._votes, highest)
        return highest

    @property
    def table(self) -> Votes:
        """The votes with the row of zeros after the last, as kernels want them."""
        return self._votes

    def rounding(self, windows: int) -> float:
        """Sums of multiples of 2⁻⁷ below 2⁴⁶ are exact in float64, and computed in whole numbers anyway."""
        return 0.0

    def encoded_scores(self, texts: EncodedTexts) -> Scores:
        from levcert.kernels.vote_scores import score_texts

        sums = np.zeros((len(texts), self.classes), dtype=np.int64)
        score_texts(self._votes, self._orders, texts.ids, texts.offsets, sums)
        return np.multiply(sums, UNIT, dtype=np.float64)

    def window_scores(self, windows: Ids) -> Scores:
        return self.context_scores(windows)

    def context_scores(self, contexts: Ids) -> Scores:
        from levcert.kernels.vote_scores import score_contexts

        sums = np.zeros((len(contexts), self.classes), dtype=np.int64)
        if contexts.shape[1] >= self.width:
            rows = np.ascontiguousarray(contexts, dtype=np.int32)
            score_contexts(self._votes, self._orders, self.width, rows, sums)
        return np.multiply(sums, UNIT, dtype=np.float64)

    def hole_scores(self, padded: Ids, lefts: Positions, rights: Positions) -> Scores:
        from levcert.kernels.vote_scores import hole_sums

        sums = np.zeros((len(lefts), self.classes, self.alphabet.size), dtype=np.int64)
        hole_sums(self._votes, self._orders, self.width, padded, lefts, rights, sums)
        return np.multiply(sums, UNIT, dtype=np.float64).transpose(0, 2, 1)

    def hole_window_scores(self, padded: Ids, lefts: Positions, rights: Positions) -> Scores:
        from levcert.kernels.vote_scores import hole_windows

        sums = np.zeros((len(lefts), self.width, self.classes, self.alphabet.size), dtype=np.int64)
        hole_windows(self._votes, self._orders, self.width, padded, lefts, rights, sums)
        return np.multiply(sums, UNIT, dtype=np.float64)

    def lone_losses(self, ids: Ids, label: int, insert: Mask, delete: Mask, replace: Mask) -> Scores:
        possible, gains = self.lone_gains(ids, label, insert, delete, replace)
        losses = np.multiply(gains.transpose(1, 2, 3, 4, 0), UNIT, dtype=np.float64)
        losses[~possible] = -np.inf
        return losses

    def lone_gains(
        self,
        ids: Ids,
        label: int,
        insert: Mask,
        delete: Mask,
        replace: Mask,
        stop: npt.NDArray[np.uint8] | None = None,
    ) -> tuple[Mask, npt.NDArray[np.int32]]:
        """Return which edits are possible (kinds × slots), and what their new n-grams can gain on the label, in units.

        Classes × kinds × slots × R × R, as in ``lone_losses``; 0 for what is not possible.  Whoever raises the flag
        ``stop`` gets arrays that are not complete.
        """
        from levcert.kernels.search.lone import lone_gains
        from levcert.kernels.vote_scores import powers_to, shift_of

        possible = np.zeros((3, len(ids) + 1), dtype=bool)
        gains = np.zeros((self.classes, 3, len(ids) + 1, self.width, self.width), dtype=np.int32)
        lone_gains(
            self._votes, self.used_rows, self._orders, np.uint64(shift_of(self.votes.shape[1])), powers_to(self.width),
            np.ascontiguousarray(ids), insert, replace, delete, label,
            np.zeros(1, dtype=np.uint8) if stop is None else stop, possible, gains,
        )  # fmt: skip
        return possible, gains

    def replacement_costs(self, label: int) -> Scores:
        """A symbol at tap j matters to the orders that reach back to it: to each, at most its range."""
        symbols, width = self.alphabet.size, self.width
        spread = np.zeros((self.classes, width))
        for part in self.parts:
            known = part.window_range
            assert known is not None
            spread[:, width - part.width :] += (known.high[label] - known.low[label])[:, None]
        costs = np.broadcast_to(spread[:, :, None, None], (self.classes, width, symbols, symbols)).copy()
        costs[:, :, np.arange(symbols), np.arange(symbols)] = 0
        return costs

    def pruned(self, share: float) -> VoteModel:
        """Return a model that keeps only a share of the rows: those whose votes differ most between classes.

        What is pruned has no vote, so certificates of the pruned model are as sound as any; its file is smaller.
        """
        if not 0 < share <= 1:
            raise InputError(f"The share of rows to keep must be in (0, 1], not {share}.")
        table = self.votes.copy()
        spread = table.max(axis=2).astype(np.int16) - table.min(axis=2)
        kept = int(share * spread.size)
        if kept < np.count_nonzero(spread):
            threshold = np.partition(spread.ravel(), spread.size - kept)[spread.size - kept] if kept else LARGEST * 2
            table[spread <= threshold] = 0
        return VoteModel(self.alphabet, table, self.orders, labels=self.labels, training=self.training)

    def __repr__(self) -> str:
        rows = self.votes.shape[1]
        orders = "+".join(map(str, self.orders))
        return f"VoteModel({orders}-grams in {rows:,} rows, {self.alphabet.size} symbols, {self.classes} classes)"

    def save(self, path: str | Path) -> None:
        """Write the model to one file, completely or not at all; leave out rows without votes if that saves space.

        They stay where the file would be so small that :meth:`from_storage` refuses to expand it.
        """
        options: dict[str, Any] = {"orders": list(self.orders), "rows": self.votes.shape[1]}
        header = Header("votes", self.alphabet, self.labels, options, self.training)
        flat = np.ascontiguousarray(self.votes).reshape(-1, self.classes)
        used = np.flatnonzero(flat.any(axis=1))
        stored = len(used) * (self.classes + 4)
        if stored < flat.size <= room(stored):
            tensors: Tensors = {"used_rows": used.astype(np.uint32), "votes": flat[used]}
        else:
            tensors = {"votes": flat}
        write_model(path, header, tensors)

    def to_json(self) -> str:
        """Return the model as JSON for readers in other languages; see docs/interchange.md."""
        from levcert.models.votes_json import votes_json

        return votes_json(self)

    @classmethod
    def from_storage(cls, header: Header, tensors: Tensors) -> VoteModel:
        orders, rows = header.options.get("orders"), header.options.get("rows")
        if not isinstance(orders, list) or type(rows) is not int or not 0 < rows <= LARGEST_TABLE:
            raise InputError("its header lacks the orders or the rows of its votes; the file is damaged.")
        classes = len(header.labels)
        size = len(check_orders(orders)) * rows
        check_room("its tables", size * classes, tensors)
        votes = take(tensors, "votes", (None, classes))
        if "used_rows" in tensors and votes.dtype == np.int8:
            used = take(tensors, "used_rows", (len(votes),))
            if used.dtype != np.uint32 or (len(used) and (used.max() >= size or len(np.unique(used)) != len(used))):
                raise InputError("its row numbers occur twice or lie outside the table; the file is damaged.")
            table = np.zeros((size, classes), dtype=np.int8)
            table[used] = votes
        else:
            table = votes
        if len(table) != size or tensors:
            raise InputError(f"its tensors do not fit {len(orders)} orders of {rows:,} rows; the file is damaged.")
        return cls(
            header.alphabet,
            table.reshape(len(orders), rows, classes),
            orders,
            labels=header.labels,
            training=header.training,
        )


def quantised(votes: npt.ArrayLike) -> Votes:
    """Round votes from (−1, 1) to whole units; the certificate speaks of what is stored, after rounding."""
    array = np.asarray(votes, dtype=np.float64)
    if not (np.abs(array) <= 1).all():
        raise InputError("Votes must be numbers from −1 to 1.")
    return np.rint(array * LARGEST).astype(np.int8)
