"""Certificates and attacks in plain words, neither more nor less than what they claim."""

from __future__ import annotations

from typing import Final

from levcert.attacks.base import AttackResult
from levcert.certificate import NO_ANSWER, Certificate
from levcert.edits import OPERATIONS, Operation
from levcert.threat import Threat

_NOUNS: Final[dict[Operation, str]] = {"insert": "insertion", "delete": "deletion", "substitute": "substitution"}
ONLY_SUBSTITUTIONS: Final = Threat(frozenset({"substitute"}))


def promise(certificate: Certificate, threat: Threat) -> str:
    """Say what a certificate promises, and where its promise ends."""
    radius, upper, claim = certificate.radius, certificate.upper, certificate.claim
    if radius == NO_ANSWER:
        tie = certificate.margin is not None and certificate.margin <= 0
        return f"There is no certain answer: {'two labels are equally good' if tie else 'the method abstains'}."
    if claim == "substitutions only":
        kept = f"{_none(radius, ONLY_SUBSTITUTIONS)} can change this label" if radius else "Nothing is promised"
        return f"{kept}; insertions and deletions may, because this method is proved for substitutions only."
    kept = f"{_none(radius, threat)} can change this label" if radius else "Nothing is proved beyond the text itself"
    if claim.startswith("probability"):
        return f"{kept}. This is about the smoothed classifier, with {claim} over its random samples."
    if upper is None:
        return f"{kept}."
    if not radius and upper == 1:
        return f"{edits(1, threat).capitalize()} can change this label."
    undecided = ", and between the two nothing is decided" if upper > radius + 1 else ""
    return f"{kept}; {edits(upper, threat)} can{'' if radius else ' change the label'}{undecided}."


def outcome(result: AttackResult, max_distance: int, threat: Threat) -> str:
    """Say what an attack found."""
    if result.distance is None:
        return f"The attack found nothing within {edits(max_distance, threat)}, which proves nothing."
    return f"{edits(result.distance, threat).capitalize()} can change this label."


def edits(count: int, threat: Threat) -> str:
    """Return "one edit", "2 insertions or deletions", …: what the threat allows, so many times."""
    return f"{'one' if count == 1 else count} {_nouns(count, threat)}"


def _none(count: int, threat: Threat) -> str:
    return f"No {'single' if count == 1 else count} {_nouns(count, threat)}"


def _nouns(count: int, threat: Threat) -> str:
    names = (
        ["edit"] if threat.operations == OPERATIONS else [_NOUNS[name] for name in _NOUNS if name in threat.operations]
    )
    return " or ".join(name + "s" * (count != 1) for name in names)
