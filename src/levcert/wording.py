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
    if claim.startswith("probability"):
        share = claim.removeprefix("probability ≥ ")
        return f"With probability at least {share}, {_kept(radius, threat)} of the smoothed classifier."
    if claim == "substitutions only":
        kept = _kept(radius, Threat(frozenset({"substitute"}), threat.symbols, threat.neighbours))
        return f"Proved for substitutions only: {kept}. Insertions and deletions may change it."
    if claim == "exact" and radius == 0:
        return f"One {_edits(1, threat).removeprefix('1 ')} is enough to change the label."
    if claim == "exact":
        return f"Proved: {_kept(radius, threat)}; {radius + 1} can."
    if radius == 0:
        return "The label wins for the text as it is; nothing is proved about edited texts."
    return f"Proved: {_kept(radius, threat)}."


def _kept(radius: int, threat: Threat) -> str:
    if radius == 0:
        return "the unedited text keeps the label"
    if radius == 1:
        return f"a single {_edits(1, threat).removeprefix('1 ')} cannot change the label"
    return f"{_edits(radius, threat)} or fewer cannot change the label"


def _edits(count: int, threat: Threat) -> str:
    """Return "2 edits", or what else the attacker is limited to."""
    plural = "s" * (count != 1)
    if threat.operations == OPERATIONS:
        what = f"edit{plural}"
    else:
        what = " or ".join(_NOUNS[name] + plural for name in sorted(threat.operations))
    limits = "" if threat.symbols is None else f" by characters of {threat.symbols!r}"
    limits += "" if threat.neighbours is None else " by neighbours"
    return f"{count} {what}{limits}"
