"""What one request may ask for, so that nobody can keep the server from the others."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import Final

from levcert.models.window import WindowModel

LONGEST_TEXT: Final = 5_000  # characters
LARGEST_BATCH: Final = 64  # texts
LARGEST_BODY: Final = 4 * LARGEST_BATCH * LONGEST_TEXT + 10_000  # bytes: every character at UTF-8's longest
FARTHEST_EDIT: Final = 12
_MOST_EFFECTS: Final = 1 << 22  # numbers that the effects of all single edits of a text may be: 200 MB of work space


@dataclass(frozen=True)
class Limits:
    """Time and places; what a request may hold is fixed above, so that it stands in the interface's description."""

    seconds: float = 10.0  # from the moment a request is accepted
    workers: int = field(default_factory=lambda: min(os.cpu_count() or 1, 4))
    waiting: int = 32  # requests that may wait for a worker; more are refused at once


def longest_text(model: WindowModel) -> int:
    """Return how many characters a text of this model may have; fewer where its alphabet is large."""
    return min(LONGEST_TEXT, max(200, _MOST_EFFECTS // (model.alphabet.size * model.classes)))
