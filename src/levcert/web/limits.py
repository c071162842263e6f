"""Limits on requests, waiting and connections, so that no client can block the others; each has a flag."""

from __future__ import annotations

import os
from dataclasses import dataclass, field, fields
from typing import Final

from levcert.errors import InputError
from levcert.models.window import WindowModel

_MOST_EFFECTS: Final = 1 << 22  # numbers in the effects of all single edits of a text: 200 MB of memory
_MAY_BE_ZERO: Final = {"waiting", "cached", "body_bytes"}


@dataclass(frozen=True)
class Limits:
    """What one request, one client and all clients together may ask for."""

    characters: int = 5_000  # in a text; fewer if the model's alphabet is large
    texts: int = 64  # in a request
    distance: int = 12  # edits that a request may ask about
    body_bytes: int = 0  # of a request; 0: enough for the two above, with every character at UTF-8's longest
    header_bytes: int = 16_384
    seconds: float = 10.0  # for a request, from the moment it is complete
    workers: int = field(default_factory=lambda: min(os.cpu_count() or 1, 4))  # searches at the same time
    waiting: int = 32  # searches and attacks that may wait
    connections: int = 256
    connections_per_client: int = 64
    read_seconds: float = 10.0  # for a client to send a request, or to take the response
    idle_seconds: float = 15.0  # between two requests of a connection
    shutdown_seconds: float = 5.0  # for requests that are running when the server is told to stop
    cached: int = 512  # certificates

    def __post_init__(self) -> None:
        for limit in fields(self):
            value = getattr(self, limit.name)
            if not (value > 0 or (value == 0 and limit.name in _MAY_BE_ZERO)):  # nan is neither
                flag = limit.name.replace("_", "-")
                raise InputError(f"--max-{flag} is {value:g}; it must be a positive number.")

    @property
    def largest_body(self) -> int:
        """Bytes in a request's body."""
        return self.body_bytes or 4 * self.texts * self.characters + 10_000


def longest_text(model: WindowModel, limits: Limits) -> int:
    """Return how many characters a text for this model may have: fewer if its alphabet is large."""
    return min(limits.characters, max(200, _MOST_EFFECTS // (model.alphabet.size * model.classes)))
