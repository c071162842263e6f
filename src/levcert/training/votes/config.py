"""Every setting of a training run of bounded votes, in one frozen object."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final, Literal

from levcert.errors import InputError
from levcert.models.ngram_orders import LARGEST_TABLE, SMALLEST_TABLE, check_orders
from levcert.training.base_config import CALIBRATION_HELP, CLASS_WEIGHT_HELP, SAMPLES_HELP, Configuration, option


@dataclass(frozen=True)
class VoteConfig(Configuration):
    """The defaults suit two edits on sentences and paragraphs; ``target_distance`` adapts them to another number.

    Examples:
        >>> levcert.VoteConfig(orders=(3, 5), epochs=2).orders
        (3, 5)
    """

    orders: tuple[int, ...] = option((4, 6), "Lengths of the n-grams, such as 4,6.")
    table_bits: int = option(20, "Each order has a table of 2^bits rows; 12 to 24.")
    symbols: Literal["characters", "bytes"] = option(
        "characters", "What one edit changes: characters, or bytes of UTF-8."
    )
    fold: Literal["none", "case", "lookalikes", "leet", "letters"] = option(
        "case",
        "Which characters count as the same: none, case, lookalikes (and accents and invisible ones), leet, letters.",
    )
    target_distance: int | None = option(
        None, "Number of edits to withstand: sets temperature and edits, and keeps the best epoch on held-out rows."
    )
    temperature: float = option(1.0, "τ, the scale of the scores in the loss; lower is more robust but less accurate.")
    loss: Literal["softplus", "hinge"] = option("softplus", "Loss on margin − k·G: softplus (cross-entropy) or hinge.")
    distance: float = option(0.0, "k in margin − k·G: by how many edits the label must win in the loss.")
    edits: int = option(2, "Number of worst edits to make in each training text after the first epoch.")
    tries: int = option(8, "Number of symbols to try for each of those edits.")
    adversary: Literal["sampled", "exact"] = option(
        "sampled", "How to find the worst edits: sample tries at the places that matter most, or try all (slower)."
    )
    dropout: float = option(0.2, "Share of n-grams to drop at random.")
    class_weight: Literal["auto", "none", "balanced"] = option("auto", CLASS_WEIGHT_HELP)
    learning_rate: float = option(0.3, "Initial learning rate of Adagrad; it falls to 0 over the run.")
    epochs: int = option(3, "Passes over the training texts.")
    patience: int = option(2, "Stop after this many epochs without a better verified accuracy.")
    keep: float = option(1.0, "Share of the rows to keep; the others are pruned for a smaller file.")
    cut: int | None = option(
        None, "Truncate each text to its first N characters; certificates then apply to the truncated text."
    )
    validation_rows: int = option(0, "Number of training rows to hold out and report accuracy on.")
    calibration: Literal["auto", "none"] = option(
        "auto", CALIBRATION_HELP.format(", or without these, to those of a second training run")
    )
    samples: int = option(1, SAMPLES_HELP)
    seed: int = option(1, "Seed for the order of the texts, dropout and the held-out rows.")

    def __post_init__(self) -> None:
        object.__setattr__(self, "orders", parse_orders(self.orders))
        self.check_choices()
        self.check_positive("epochs", "tries", "patience")
        if not SMALLEST_TABLE <= 2**self.table_bits <= LARGEST_TABLE:
            raise InputError(f"table_bits must be from 12 to 24, not {self.table_bits}.")
        for name in ("temperature", "learning_rate"):
            if not (getattr(self, name) > 0 and math.isfinite(getattr(self, name))):
                raise InputError(f"{name} must be positive and finite, not {getattr(self, name)}.")
        if not (0 <= self.dropout < 1 and 0 < self.keep <= 1 and self.distance >= 0 and self.edits >= 0):
            raise InputError("dropout must be in [0, 1), keep in (0, 1], and distance and edits at least 0.")
        if self.samples < 0:
            raise InputError(f"samples must be at least 0, not {self.samples}.")
        if self.symbols == "bytes" and self.fold not in ("case", "none"):
            raise InputError(f"A model of bytes has no fold; use symbols characters with fold {self.fold}.")
        if self.validation_rows < 0 or (self.cut is not None and self.cut < 1):
            raise InputError("validation_rows must be at least 0, and cut at least 1.")
        if self.target_distance is not None and self.target_distance < 1:
            raise InputError(f"target_distance must be at least 1, not {self.target_distance}.")

    def aimed(self, rows: int, given: frozenset[str]) -> VoteConfig:
        """Adapt the configuration to ``target_distance`` edits and ``rows`` training texts; ``given`` fields stay.

        The temperatures were tuned on validation rows of AG-News, IMDB and SST-2 (docs/votes.md): more edits need
        evidence that is spread more evenly, and a lower temperature spreads it.
        """
        if self.target_distance is None:
            return self
        k = self.target_distance
        chosen = {
            "temperature": next(tau for most, tau in TEMPERATURES if k <= most),
            "edits": min(max(2, k), MOST_EDITS),
            "validation_rows": min(VALIDATION_ROWS, rows // 10),
            "epochs": 4,
        }
        return self.changed({name: value for name, value in chosen.items() if name not in given})


TEMPERATURES: Final = ((5, 1.0), (10, 0.5), (math.inf, 0.2))  # (up to this many edits, temperature)
MOST_EDITS: Final = 10
VALIDATION_ROWS: Final = 500


def parse_orders(orders: object) -> tuple[int, ...]:
    """Read orders of n-grams from (4, 6), [4, 6] or "4,6"."""
    if isinstance(orders, str):
        try:
            orders = [int(part) for part in orders.replace("+", ",").split(",")]
        except ValueError:
            raise InputError(f"Give the orders of n-grams as 4,6, not as {orders!r}.") from None
    if not isinstance(orders, list | tuple):
        raise InputError(f"Give the orders of n-grams as 4,6, not as {orders!r}.")
    return check_orders(orders)
