"""The bound that holds for every edit, in one pass: the tap bounds of docs/soundness.md."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from levcert.certifiers.base import Array, Batch, Integers, OnePass, radii
from levcert.errors import InputError
from levcert.kernels.present_maxima import present_maxima
from levcert.models.tap_bounds import TapCosts, WindowRange
from levcert.models.window import WindowModel


@dataclass(frozen=True)
class Lipschitz(OnePass):
    """radius = min_ŷ ⌈margin / G(y, ŷ)⌉ − 1 with G the largest loss that one allowed edit can cause.

    Local to the text: order the edits as deletions, substitutions, insertions.  Then deletions meet only symbols
    of the text, and substitutions replace only symbols of the text, so their costs are maxima over those.

    Examples:
        >>> model = levcert.load("toy.safetensors")
        >>> levcert.certify(model, ["hello world"], levcert.Lipschitz())[0].radius
        0
    """

    name: ClassVar[str] = "lipschitz"
    needs: ClassVar[str] = "a model with tap costs or a window range (all of ours)"

    def bounds(self, batch: Batch) -> tuple[Integers, str]:
        return radii(batch.margins, edit_costs(batch), batch.allowance, batch.reach), "proved"


def edit_costs(batch: Batch) -> Array:
    """Return G(y, ŷ): what one allowed edit of each text can take from its margins, for any other edits."""
    model = batch.model
    if not knows_its_costs(model):
        raise InputError(
            "lipschitz needs a model that knows its tap costs or its window range; use exact for this one."
        )
    costs = np.full((3, len(batch.texts), model.classes), np.inf)
    if model.tap_costs is not None:
        costs = np.minimum(costs, _tap_edit_costs(model.tap_costs, batch))
    ranges = window_ranges(model)
    if ranges is not None:
        everywhere = np.sum([known.edit_costs(width) for width, known in ranges], axis=0)
        costs = np.minimum(costs, everywhere[:, batch.best])
    allowed = batch.allowed
    used = [allowed.replace.any(), allowed.insert.any(), allowed.delete.any()]
    largest: Array = costs[used].max(axis=0, initial=0)
    return largest


def window_ranges(model: WindowModel) -> list[tuple[int, WindowRange]] | None:
    """Return width and range of each part of a model, or None if some part does not know its range."""
    ranges = [(part.width, part.window_range) for part in model.parts]
    known = [(width, found) for width, found in ranges if found is not None]
    return known if len(known) == len(ranges) else None


def knows_its_costs(model: WindowModel) -> bool:
    """Return whether there is a bound on what one edit can take, for any text."""
    return model.tap_costs is not None or window_ranges(model) is not None


def _tap_edit_costs(taps: TapCosts, batch: Batch) -> Array:
    """Return the costs of a substitution, an insertion and a deletion for each text and other class.

    A maximum over the symbols of a text is taken text by text in a kernel; over those that edits can bring, once.
    """
    allowed, y = batch.allowed, batch.best
    classes, taps_count = taps.appear.shape[1:3]
    worst = np.where(allowed.replace, taps.replace, 0).max(axis=3)  # of replacing each symbol
    # Any symbol that edits can bring, or that the text has, may stand in the window that an insertion adds.
    brought = allowed.insert | allowed.replace.any(axis=0)
    everywhere = np.where(brought, taps.appear, 0).max(axis=3, initial=0)
    present = [worst.reshape(classes, classes, -1), taps.vanish.reshape(classes, classes * taps_count, -1)]
    if not brought.all():
        present.append(taps.appear.reshape(classes, classes * taps_count, -1))
    found = np.zeros((len(y), sum(table.shape[1] for table in present)))
    if not brought.all():
        found[:, -classes * taps_count :] = everywhere[y].reshape(len(y), -1)
    table = np.ascontiguousarray(np.concatenate(present, axis=1).transpose(0, 2, 1))
    present_maxima(table, y, batch.encoded.ids, batch.encoded.offsets, found)

    def summed(first: int) -> Array:
        by_tap = np.ascontiguousarray(found[:, first : first + classes * taps_count]).reshape(
            len(y), classes, taps_count
        )
        total: Array = by_tap.sum(axis=2)
        return total

    substitution, vanish = found[:, :classes], summed(classes)
    appear = everywhere.sum(axis=2)[y] if brought.all() else summed(classes * (taps_count + 1))
    shift = taps.shift[y]
    insertion, deletion = (bound[y] for bound in taps.chains)  # for any text
    return np.stack([substitution, np.minimum(shift + appear, insertion), np.minimum(shift + vanish, deletion)])
