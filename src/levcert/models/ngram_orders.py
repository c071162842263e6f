"""Which orders of n-grams and sizes of tables there can be; without numpy, for the command line."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral
from typing import Final

from levcert.errors import InputError

SMALLEST_TABLE: Final = 2**12
LARGEST_TABLE: Final = 2**24
LONGEST_ORDER: Final = 32


def check_orders(orders: Sequence[int]) -> tuple[int, ...]:
    """Return the orders, checked: different whole numbers from 1 to 32, smallest first."""
    if isinstance(orders, str) or not all(isinstance(n, Integral) for n in orders):
        raise InputError(f"Orders of n-grams are whole numbers such as (3, 5), not {orders!r}.")
    if not len(orders) or list(orders) != sorted(set(orders)) or not 1 <= min(orders) <= max(orders) <= LONGEST_ORDER:
        raise InputError(f"Orders of n-grams rise from at least 1 to at most {LONGEST_ORDER}, not {tuple(orders)}.")
    return tuple(int(n) for n in orders)
