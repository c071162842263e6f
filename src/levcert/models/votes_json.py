"""Votes as one JSON text, for other languages: everything that a prediction needs, and nothing else.

docs/interchange.md describes the fields; docs/readers has readers in Python and JavaScript, each of one page.  The map
from characters to ids is written out for every character that has one, so that a reader need not know how levcert
folds case or look-alikes.
"""

from __future__ import annotations

import base64
import json
from typing import TYPE_CHECKING, Any, Final

import numpy as np

if TYPE_CHECKING:
    from levcert.models.votes import VoteModel

FORMAT: Final = "levcert-votes"
VERSION: Final = 1
_CODE_POINTS: Final = 0x110000


def votes_json(model: VoteModel) -> str:
    """Return a model as JSON; rows without votes are left out."""
    table = np.ascontiguousarray(model.votes).reshape(-1, model.classes)
    used = np.flatnonzero(table.any(axis=1))
    fields: dict[str, Any] = {
        "format": FORMAT,
        "version": VERSION,
        "labels": list(model.labels),
        "unit": model.alphabet.kind,
        **_alphabet(model),
        "orders": list(model.orders),
        "rows": model.votes.shape[1],
        "used_rows": _base64(used.astype("<u4")),
        "votes": _base64(table[used]),
    }
    return json.dumps(fields, ensure_ascii=True, allow_nan=False)


def _alphabet(model: VoteModel) -> dict[str, Any]:
    """Return the id of every code point that differs from ``default``, in runs: [first code point, ids …]."""
    if model.alphabet.kind == "bytes":
        return {"default": 0, "characters": []}
    text = "".join(map(chr, range(_CODE_POINTS)))
    # One character at a time, so that it is the map that counts and not where characters stand.
    default = model.alphabet.size if model.alphabet.unknown == "symbol" else 0
    ids = np.zeros(_CODE_POINTS, dtype=np.int64)  # also with an unknown symbol, a fold may drop characters
    positions = model.alphabet.positions(text)
    ids[positions] = model.alphabet.encode(text)
    points = np.flatnonzero(ids != default)
    runs: list[list[int]] = []
    for point in points.tolist():
        if runs and runs[-1][0] + len(runs[-1]) - 1 == point:
            runs[-1].append(int(ids[point]))
        else:
            runs.append([point, int(ids[point])])
    return {"default": default, "characters": runs}


def _base64(numbers: Any) -> str:
    return base64.b64encode(np.ascontiguousarray(numbers).tobytes()).decode("ascii")
