"""Where a text is fragile: what the worst edit at each character takes from its margin."""

from __future__ import annotations

import numpy as np

from levcert.certifiers.base import Array, Batch
from levcert.certifiers.search.local_losses import LocalLosses
from levcert.errors import InputError
from levcert.models.class_labels import target_number
from levcert.models.window import WindowModel
from levcert.text.alphabet import Text
from levcert.text.model_view import native
from levcert.text.threat import ANY_EDIT, Threat


def character_losses(model: WindowModel, text: Text, threat: Threat = ANY_EDIT, target: str | None = None) -> Array:
    """Return for each character of a text how much its margin shrinks by the worst single edit there.

    The edits at a character are its substitutions, its deletion and insertions before it; those at the very end
    belong to the last character.  Characters that the model does not see lose nothing.  With a ``target``, the margin
    is the lead over that class; a text that has this label already loses nothing.

    Examples:
        >>> model = levcert.load("toy.safetensors")
        >>> int(levcert.character_losses(model, "hello").argmax())
        0
    """
    if not isinstance(model, WindowModel):
        raise InputError(
            f"character_losses needs a levcert model, not {type(model).__name__}, because it reads what each window "
            "contributes. For a function, certify_callable by brute-force finds single edits that change the label."
        )
    number = None if target is None else target_number(target, model.labels)
    batch = Batch(model, [native(model.alphabet, text)], threat, number)
    local = LocalLosses(batch, 0)
    result = np.zeros(len(batch.texts[0]))
    if not len(local.ids) or local.label == number:
        return result
    cuts, characters = local.best
    worst = np.maximum(characters, cuts[:-1])
    worst[-1] = np.maximum(worst[-1], cuts[-1])
    margins = batch.margins[0]
    after = (margins - worst).min(axis=1)
    result[model.alphabet.positions(batch.texts[0])] = np.maximum(margins.min() - after, 0)
    return result
