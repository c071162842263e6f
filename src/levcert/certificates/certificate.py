"""A certificate: what a certifier answers about one text."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from levcert.certificates.claims import ABSTAINED, IS_TARGET, Unit
from levcert.certificates.explain import meaning
from levcert.errors import InputError
from levcert.text.alphabet import Text
from levcert.text.threat import ANY_EDIT, Threat


@dataclass(frozen=True)
class Certificate:
    """A statement about one text: no ``radius`` edits change the answer ``label``.

    With a ``target``, the statement is one-sided: no ``radius`` edits make the answer ``target``.  ``class_radii``, if
    asked for, has such a one-sided radius for each other class.

    Edits are those that ``threat`` allows, of characters or bytes (``unit``).  ``claim`` says how much it is worth:
    "proved" (every text within the radius gets this label), "exact" (and some text at radius + 1 does not),
    "substitutions only" (proved for substitutions of characters that the model knows by others that it knows; not for
    insertions and deletions), a probability, or "is the target" (the text has the label ``target`` as it is: nothing is
    certified).  Only smoothing gives a radius of −1: it abstains.

    ``fold`` is that of the model's alphabet: whatever is proved holds as well after any number of changes between
    characters with the same fold, and of insertions and deletions of characters that fold to nothing.

    A counterexample turns a proved certificate into an exact one: any method that finds one just beyond the radius
    may add it with ``dataclasses.replace``.

    Examples:
        >>> model = levcert.load("toy.safetensors")
        >>> print(levcert.certify(model, ["hello world"], max_distance=3)[0])
        'letters': Proved: 2 edits or fewer cannot change the label; 3 can. Changed by 3: '6el7o world6'.
    """

    text: Text
    label: str
    radius: int
    margin: float | None  # None for classifiers that give labels only
    method: str
    claim: str  # "proved", "exact", "substitutions only" or "probability ≥ 1−α"
    threat: Threat | None = ANY_EDIT  # None: not recorded, in a file of version 0.1
    unit: Unit = "characters"
    upper: int | None = None  # distance of the nearest counterexample found
    counterexample: Text | None = None
    seconds: float = 0.0
    target: str | None = None  # None: the statement is about any change of the label
    class_radii: Mapping[str, int] | None = field(default=None, hash=False)
    undecided: str | None = None  # why the search ended before the radius was exact, if a limit was met
    fold: str = "none"
    # Not in files: how many texts a classifier was asked about, and its own label where a smoothed one is certified.
    calls: int | None = field(default=None, compare=False)
    base_label: str | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        if self.radius < ABSTAINED:
            raise InputError(f"A radius is at least {ABSTAINED}, not {self.radius}.")
        if self.margin is not None and math.isnan(self.margin):
            raise InputError("A margin is a number, and this one is NaN; look for NaN in the model's weights.")
        if (self.upper is None) != (self.counterexample is None):
            raise InputError("A certificate has a counterexample and its distance, or neither.")
        if self.upper is not None and self.upper <= self.radius:
            raise InputError(
                f"A counterexample at distance {self.upper} refutes the certified radius {self.radius}: "
                "this is a defect of the certifier, please report it."
            )
        if (self.claim == IS_TARGET) != (self.target == self.label and self.radius != ABSTAINED):
            raise InputError(
                "The claim 'is the target' is about texts whose label is the target, and only about these."
            )
        if self.claim == IS_TARGET and (self.radius, self.upper) != (0, None):
            raise InputError("A text that has the label of the target has the radius 0 and no counterexample.")
        met = self.upper == self.radius + 1
        if self.claim == "exact" and not met:
            raise InputError("The claim 'exact' needs a counterexample one edit beyond the radius.")
        if self.claim == "proved" and met:
            object.__setattr__(self, "claim", "exact")
        if met and self.undecided is not None:
            object.__setattr__(self, "undecided", None)  # nothing is open any more

    def __str__(self) -> str:
        """Say in one sentence what is claimed."""
        changed = "Changed by" if self.target is None else f"{self.target!r} after"
        found = "" if not self.upper else f" {changed} {self.upper}: {self.counterexample!r}."
        if self.base_label not in (None, self.label):
            found += f" The classifier itself says {self.base_label!r}, and nothing is certified about that."
        if self.calls is not None:
            found += f" ({self.calls:,} texts classified.)"
        return f"{self.label!r}: {meaning(self)}{found}"
