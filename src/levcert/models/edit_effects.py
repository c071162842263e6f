"""What edits do to a window sum: only the windows that an edit touches are evaluated.

These are the obvious ways, for any model; a model with a faster one overrides the method of the same name.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from levcert.errors import InputError
from levcert.text.alphabet import Ids
from levcert.text.edits import Operation

if TYPE_CHECKING:
    from levcert.models.window import WindowModel

Scores = npt.NDArray[np.float64]
Positions = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]
_WINDOW_IDS_AT_ONCE = 1 << 22  # bounds the memory of edit effects to some tens of megabytes


@dataclass(frozen=True)
class EditEffects:
    """What each single edit of a text does to its scores: f(edited) − f(text), one number per class.

    ``substitutions[t, c − 1]`` puts the symbol with id c in place of the one at t, ``insertions[t, c − 1]`` puts
    it before position t (t = length: at the end), ``deletions[t]`` removes the symbol at t.

    Examples:
        >>> model = levcert.load("toy.safetensors")
        >>> model.edit_effects(model.alphabet.encode("hi")).deletions.shape
        (2, 2)
    """

    insertions: Scores  # (length + 1) × symbols × classes
    deletions: Scores  # length × classes
    substitutions: Scores  # length × symbols × classes


def edit_effects(model: WindowModel, ids: Ids, first: int = 0, last: int | None = None) -> EditEffects:
    """Return the effect of every single edit, evaluating only the windows that an edit touches.

    At most R windows appear and R disappear, so this costs about 2·length·symbols·R windows instead of the
    2·length²·symbols of naive enumeration.  With ``first`` and ``last``, only insertions before the positions
    first … last − 1 and substitutions and deletions there (a text of length m has the cuts 0 … m).
    """
    length, side = len(ids), model.width - 1
    last = length + 1 if last is None else last
    cuts, places = np.arange(first, last), np.arange(first, min(last, length))
    padded = pad(ids, side)
    parts = np.lib.stride_tricks.sliding_window_view(padded, side)
    before, after = parts[cuts], parts[cuts + side]  # what is left of a cut, and what is right of it
    # Sums of windows: those that straddle a cut, those that hold a symbol, those when it is gone.
    cut = model.context_scores(np.concatenate([before, after], axis=1))
    rest = parts[places + side + 1]
    middle = padded[places + side, None]
    held = model.context_scores(np.concatenate([before[: len(places)], middle, rest], axis=1))
    joined = model.context_scores(np.concatenate([before[: len(places)], rest], axis=1))
    return EditEffects(
        insertions=model.hole_scores(padded, cuts + side, cuts + side) - cut[:, None],
        deletions=joined - held,
        substitutions=model.hole_scores(padded, places + side, places + side + 1) - held[:, None],
    )


def hole_scores(model: WindowModel, padded: Ids, lefts: Positions, rights: Positions) -> Scores:
    """Return for all n and symbols c the sum of φ over the R windows that hold c in hole n.

    Left of hole n stands padded[: lefts[n]], right of it padded[rights[n] :].
    """
    sums = np.empty((len(lefts), model.alphabet.size, model.classes))
    for part, contexts in hole_contexts(model, padded, lefts, rights):
        sums[part] = model.context_scores(contexts).reshape(-1, *sums.shape[1:])
    return sums


def hole_window_scores(model: WindowModel, padded: Ids, lefts: Positions, rights: Positions) -> Scores:
    """Return φ of each single window that holds c at tap j of hole n: holes × taps × classes × symbols."""
    width, symbols = model.width, model.alphabet.size
    scores = np.empty((len(lefts), width, model.classes, symbols))
    for part, contexts in hole_contexts(model, padded, lefts, rights):
        for j in range(width):  # the window with the hole at tap j begins j symbols before it
            windows = np.ascontiguousarray(contexts[:, width - 1 - j : 2 * width - 1 - j])
            of_tap = model.window_scores(windows).reshape(-1, symbols, model.classes)
            scores[part, j] = of_tap.transpose(0, 2, 1)
    return scores


def lone_losses(model: WindowModel, ids: Ids, label: int, insert: Mask, delete: Mask, replace: Mask) -> Scores:
    """Return what the new windows around each single edit can take from the margins of ``label``.

    Operations × slots × R × R × classes: the entry [operation, t, l, r] counts windows
    of all parts that hold at most l symbols left of the edit and at most r right of it, and is the largest over
    the symbols that the edit may bring; −∞ if there is none.
    """
    length, width = len(ids), model.width
    losses = np.full((3, length + 1, width, width, model.classes), -np.inf)
    step = max(1, _WINDOW_IDS_AT_ONCE // (width**2 * model.classes * model.alphabet.size))
    for first in range(0, length + 1, step):
        cuts = np.arange(first, min(first + step, length + 1))
        gains = _lone_gains(model, pad(ids, width - 1), length, cuts)
        loss = gains - gains[..., label, None, :]
        places = cuts[cuts < length]
        at_symbols = loss[Operation.SUBSTITUTE, : len(places)]
        at_symbols[:] = np.where(replace[ids[places] - 1][:, None, None, None], at_symbols, -np.inf)
        loss[Operation.INSERT, ..., ~insert] = -np.inf
        loss[[Operation.SUBSTITUTE, Operation.DELETE], len(places) :] = -np.inf
        loss[Operation.DELETE, : len(places)][~delete[ids[places] - 1]] = -np.inf
        losses[:, cuts] = loss.max(axis=-1, initial=-np.inf)
    return losses


def _lone_gains(model: WindowModel, padded: Ids, length: int, cuts: Positions) -> Scores:
    """Return the sums of new windows around edits at some cuts: kinds × cuts × R × R × classes × symbols."""
    width, places = model.width, cuts[cuts < length]
    gains = np.zeros((3, len(cuts), width, width, model.classes, model.alphabet.size))
    for part in model.parts:
        n = part.width
        for kind, slots in ((Operation.SUBSTITUTE, places), (Operation.INSERT, cuts)):
            at = slots + width - 1
            filled = part.hole_window_scores(padded, at, at + (kind == Operation.SUBSTITUTE))
            for a in range(n):
                gains[kind, : len(at), a, n - 1 - a] += filled[:, a]
        for a in range(1, n):  # a deletion's window: a symbols before the deleted one, n − a after it
            taps = np.r_[width - 1 - a : width - 1, width : width + n - a]
            windows = np.ascontiguousarray(padded[places[:, None] + taps])
            gains[Operation.DELETE, : len(places), a, n - a] += part.window_scores(windows)[..., None]
    sums: Scores = gains.cumsum(axis=2).cumsum(axis=3)
    return sums


def hole_contexts(model: WindowModel, padded: Ids, lefts: Positions, rights: Positions) -> Iterator[tuple[slice, Ids]]:
    """Give the 2R − 1 ids around each hole with each symbol in it, some holes at a time."""
    symbols, side = model.alphabet.size, model.width - 1
    parts = np.lib.stride_tricks.sliding_window_view(padded, side)
    middle = np.arange(1, symbols + 1, dtype=np.int32)[None, :, None]
    step = max(1, _WINDOW_IDS_AT_ONCE // (symbols * model.width**2))
    for start in range(0, len(lefts), step):
        part = slice(start, start + step)
        pieces = (parts[lefts[part] - side, None], middle, parts[rights[part], None])
        shape = (len(lefts[part]), symbols)
        filled = np.concatenate([np.broadcast_to(piece, (*shape, piece.shape[2])) for piece in pieces], axis=2)
        yield part, filled.reshape(-1, 2 * side + 1)


def context_scores(model: WindowModel, contexts: Ids) -> Scores:
    """Return the sum of φ over all windows inside each row of ids; models with a faster way override it."""
    count = contexts.shape[1] - model.width + 1
    if count < 1 or not len(contexts):
        return np.zeros((len(contexts), model.classes))
    windows = np.lib.stride_tricks.sliding_window_view(contexts, model.width, axis=1)
    scores = model.window_scores(np.ascontiguousarray(windows.reshape(-1, model.width)))
    sums: Scores = scores.reshape(len(contexts), count, model.classes).sum(axis=1)
    return sums


def windows_of(ids: Ids, width: int) -> Ids:
    """Return every window of the padded text that holds at least one of its characters."""
    if width < 1:
        raise InputError(f"A window has at least one character, not {width}.")
    if not len(ids):
        return np.zeros((0, width), dtype=np.int32)
    windows = np.lib.stride_tricks.sliding_window_view(pad(ids, width - 1), width)
    return np.ascontiguousarray(windows)


def pad(ids: Ids, side: int) -> Ids:
    """Put ``side`` padding symbols at both ends."""
    return np.pad(np.asarray(ids, dtype=np.int32), side)
