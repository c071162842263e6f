"""Limits on one request, so that no client can block the others."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import Final

from levcert.models.window import WindowModel

LONGEST_TEXT: Final = 5_000  # characters
LARGEST_BATCH: Final = 64  # texts
LARGEST_BODY: Final = 4 * LARGEST_BATCH * LONGEST_TEXT + 10_000  # bytes: every character at UTF-8's longest
FARTHEST_EDIT: Final = 12
_MOST_EFFECTS: Final = 1 << 22  # numbers in the effects of all single edits of a text: 200 MB of memory


@dataclass(frozen=True)
class Limits:
    """Limits on time and on waiting requests; those on a request's content are constants, for the API description."""

    seconds: float = 10.0  # from the moment a request is accepted
    workers: int = field(default_factory=lambda: min(os.cpu_count() or 1, 4))
    waiting: int = 32  # requests that may wait for a worker; more are rejected at once


def longest_text(model: WindowModel) -> int:
    """Return how many characters a text for this model may have: fewer if its alphabet is large."""
    return min(LONGEST_TEXT, max(200, _MOST_EFFECTS // (model.alphabet.size * model.classes)))
