"""All kinds of threats to small alphabets: every set of operations, with and without restrictions."""

from __future__ import annotations

import itertools
from typing import Any

from levcert import Threat

OPERATION_SETS = [
    frozenset(chosen)
    for size in (1, 2, 3)
    for chosen in itertools.combinations(("delete", "insert", "substitute"), size)
]


def threats(symbols: Any, dropped: str = "") -> list[Threat]:
    """Return the threats to texts over a few symbols; with ``dropped``, also such as bring in what models do not see.

    Restrictions: none; the first symbol only; each symbol by the next one only; both; and a dropped character only.
    """
    limits: list[dict[str, Any]] = [{}, {"symbols": symbols[:1]}]
    if isinstance(symbols, str):
        ring = {symbols[i]: symbols[(i + 1) % len(symbols)] for i in range(len(symbols))}
        limits += [{"neighbours": ring}, {"symbols": symbols[:1], "neighbours": ring}]
        if dropped:
            to_dropped = {symbols[0]: dropped, dropped: symbols[-1], symbols[-1].upper(): symbols[0]}
            limits += [{"symbols": dropped}, {"symbols": symbols[-1] + dropped}, {"neighbours": to_dropped}]
    elif isinstance(symbols, bytes):
        limits = [{"symbols": symbols[:n]} for n in range(1, len(symbols) + 1)]
        limits += [{"symbols": symbols, "neighbours": {"a": "b", "b": "a"}}]
    return [Threat(operations, **limit) for limit in limits for operations in OPERATION_SETS]
