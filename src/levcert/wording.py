"""What a certificate says, in a sentence for people who have not read the paper."""

from __future__ import annotations

from typing import Final

from levcert.certificate import NO_ANSWER, Certificate
from levcert.edits import OPERATIONS
from levcert.threat import ANY_EDIT, Threat

_NOUNS: Final = {"insert": "insertion", "delete": "deletion", "substitute": "substitution"}


def meaning(certificate: Certificate, threat: Threat = ANY_EDIT) -> str:
    """Return what is claimed, against whom, and how sure it is."""
    radius, claim = certificate.radius, certificate.claim
    if radius == NO_ANSWER:
        return f"There is no certain answer: {certificate.label!r} does not win clearly even without any edit."
    if claim == "exact" and radius == 0:
        return f"One {_what(1, threat)} is enough to change the label."
    if claim.startswith("probability"):
        sure = f"With probability at least {claim.removeprefix('probability ≥ ')}, for the smoothed classifier: "
    elif claim == "substitutions only":
        sure = "Proved for substitutions only: "
        threat = Threat(frozenset({"substitute"}), threat.symbols, threat.neighbours)
    else:
        sure = "Proved: "
    if radius == 0:
        return f"{sure}this is the label of the text as it is; nothing is known of edited texts."
    kept = f"a single {_what(1, threat)}" if radius == 1 else f"{radius} {_what(radius, threat)} or fewer"
    further = f"; {radius + 1} can" if claim == "exact" else ""
    return f"{sure}{kept} cannot change the label{further}."


def _what(count: int, threat: Threat) -> str:
    """Return "edits", or what else the attacker is limited to."""
    plural = "s" * (count != 1)
    if threat.operations == OPERATIONS:
        what = f"edit{plural}"
    else:
        what = " or ".join(_NOUNS[name] + plural for name in sorted(threat.operations))
    limits = "" if threat.symbols is None else f" with characters of {threat.symbols!r}"
    limits += "" if threat.neighbours is None else " with neighbours"
    return what + limits
