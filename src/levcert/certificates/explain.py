"""What a certificate says, in a sentence for people who have not read the paper."""

from __future__ import annotations

from typing import Final, Protocol

from levcert.certificates.claims import ABSTAINED, IS_TARGET, Unit
from levcert.text.edits import OPERATIONS, Operation
from levcert.text.threat import Threat

_NOUNS: Final = {
    Operation.INSERT: "insertion",
    Operation.DELETE: "deletion",
    Operation.SUBSTITUTE: "substitution",
}


class Statement(Protocol):
    """The part of a certificate that says what is claimed."""

    @property
    def radius(self) -> int: ...
    @property
    def claim(self) -> str: ...
    @property
    def threat(self) -> Threat | None: ...
    @property
    def unit(self) -> Unit: ...
    @property
    def fold(self) -> str: ...
    @property
    def target(self) -> str | None: ...
    @property
    def undecided(self) -> str | None: ...


def meaning(certificate: Statement) -> str:
    """Return what is claimed, against which edits, how sure it is, and what was left open because of a limit."""
    further = "" if certificate.undecided is None else f" Not decided beyond that: {certificate.undecided}."
    return _claimed(certificate) + further


def _claimed(certificate: Statement) -> str:
    radius, claim = certificate.radius, certificate.claim
    if radius == ABSTAINED:
        return "The method abstained: no label is likely enough to be certified."
    if claim == IS_TARGET:
        return f"The text has the label {certificate.target!r} as it is."
    does = "change the label" if certificate.target is None else f"make the label {certificate.target!r}"
    if claim == "substitutions only":
        sure = "Proved only for substitutions among the characters that the model knows: "
        one, many = "one of these", f"{radius} of these or fewer"
    else:
        one = f"one {named(1, certificate.threat, certificate.unit)}"
        many = f"{radius} {named(radius, certificate.threat, certificate.unit, or_fewer=True)}"
        sure = _SURE.get(claim, f"With {claim.replace('≥', 'at least')}, for the smoothed classifier: ")
    free = free_changes(certificate.fold)
    if claim == "exact" and radius == 0:
        alone = f" {free[0].upper()}{free[1:]} alone cannot." if free else ""
        return f"{one[0].upper()}{one[1:]} can {does}.{alone}"
    if radius == 0:
        unchanged = f", and after any number of {free}" if free else ""
        return f"{sure}this is the label of the text as it is{unchanged}; nothing is known about edited texts."
    on_top = f", on top of any number of {free}," if free else ""
    further = f"; {radius + 1} can" if claim == "exact" else ""
    return f"{sure}{one if radius == 1 else many}{on_top} cannot {does}{further}."


def free_changes(fold: str) -> str:
    """Return which changes a model with this fold does not notice, where that is worth a sentence."""
    return _FREE.get(fold, "")


_FREE: Final = {
    "lookalikes": "look-alike swaps, invisible characters, accents and case changes (as in the fold lookalikes)",
    "leet": "look-alike swaps, leet spellings, invisible characters, accents and case changes (as in the fold leet)",
    "letters": "look-alike swaps, changes of spaces, punctuation and symbols, invisible characters, accents and case "
    "changes (as in the fold letters)",
}


def claimed_edits(count: int, claim: str, threat: Threat | None, unit: Unit, fold: str = "none") -> str:
    """Return which edits a claim is about, such as "edits" or "byte deletion", and what it is worth if that is less.

    With a ``fold``, also what comes on top of them for free.
    """
    on_top = f", on top of any number of {free_changes(fold)}" if free_changes(fold) else ""
    if claim == "substitutions only":
        return f"substitution{'s' * (count != 1)} among the characters that the model knows{on_top}"
    worth = f" (of the smoothed classifier, {claim})" if claim.startswith("probability") else ""
    return named(count, threat, unit) + worth + on_top


_SURE: Final = {"proved": "Proved: ", "exact": "Proved: ", "no certificate": "Not proved: "}


def named(count: int, threat: Threat | None, unit: Unit, *, or_fewer: bool = False) -> str:
    """Return what the attacker does ``count`` times, such as "edits" or "byte insertions that bring in only '.-'"."""
    plural = "s" * (count != 1)
    of_bytes = "byte " if unit == "bytes" else ""
    fewer = " or fewer" * or_fewer
    if threat is None:
        return f"{of_bytes}edit{plural}{fewer} (of which kind, the file does not say)"
    if threat.operations == OPERATIONS:
        what = f"{of_bytes}edit{plural}"
    else:
        what = " or ".join(of_bytes + _NOUNS[operation] + plural for operation in sorted(threat.operations, key=str))
    what += fewer
    if threat.profile is not None:
        return f"{what} of the profile {threat.profile}"
    limits = []
    if threat.symbols is not None and threat.operations != {Operation.DELETE}:
        limits.append(f"bring{'s' * (count == 1)} in only {unit} of {threat.symbols!r}")
    if threat.neighbours is not None and Operation.SUBSTITUTE in threat.operations:
        limits.append(f"substitute{'s' * (count == 1)} only listed neighbours")
    if threat.deletable is not None and Operation.DELETE in threat.operations:
        limits.append(f"delete{'s' * (count == 1)} only {unit} of {threat.deletable!r}")
    return what + " that " * bool(limits) + " and ".join(limits)
