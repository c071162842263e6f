"""Valid orders of n-grams and table sizes; does not import numpy, for the command line."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral
from typing import Final

from levcert.errors import InputError

SMALLEST_TABLE: Final = 2**12
LARGEST_TABLE: Final = 2**24
LONGEST_ORDER: Final = 32


def check_orders(orders: Sequence[int]) -> tuple[int, ...]:
    """Return the orders, checked: distinct integers from 1 to 32, in ascending order."""
    if isinstance(orders, str) or not all(isinstance(n, Integral) and not isinstance(n, bool) for n in orders):
        raise InputError(f"Orders of n-grams must be integers such as (3, 5), not {orders!r}.")
    if not len(orders) or list(orders) != sorted(set(orders)) or not 1 <= min(orders) <= max(orders) <= LONGEST_ORDER:
        raise InputError(f"Orders of n-grams must be ascending, from 1 to {LONGEST_ORDER}, not {tuple(orders)}.")
    return tuple(int(n) for n in orders)
