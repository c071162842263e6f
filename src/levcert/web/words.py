"""Certificates and attacks in plain words, neither more nor less than what they claim."""

from __future__ import annotations

from levcert.attacks.base import AttackResult
from levcert.certificate import NO_ANSWER, Certificate
from levcert.edits import OPERATIONS
from levcert.threat import Threat

_NOUNS = {"insert": "insertion", "delete": "deletion", "substitute": "substitution"}


def promise(certificate: Certificate, threat: Threat) -> str:
    """Say what a certificate promises, and where its promise ends."""
    if certificate.radius == NO_ANSWER:
        if certificate.margin is not None and certificate.margin <= 0:
            return "There is no certain answer: two labels are equally good."
        return "There is no certain answer: the method abstains."
    radius, upper = certificate.radius, certificate.upper
    if certificate.claim == "substitutions only":
        kept = f"No {counted(radius, 'substitution')} can change this label" if radius else "Nothing is promised"
        return f"{kept}; insertions and deletions may, because this method is proved for substitutions only."
    if certificate.claim.startswith("probability"):
        return (
            f"For the smoothed classifier, no {edits(radius, threat)} can change this label, "
            f"with {certificate.claim} over its random samples."
            if radius
            else f"For the smoothed classifier nothing is promised beyond the text itself ({certificate.claim})."
        )
    if certificate.claim == "exact":
        broken = f"{edits(radius + 1, threat)} can"
        return (
            f"No {edits(radius, threat)} can change this label; {broken}."
            if radius
            else f"{broken.capitalize()} change this label."
        )
    if not radius:
        known = "" if upper is None else f"; {edits(upper, threat)} can change the label"
        return f"Nothing is proved beyond the text itself{known}."
    known = "" if upper is None else f"; {edits(upper, threat)} can, and between the two nothing is decided"
    return f"No {edits(radius, threat)} can change this label{known}."


def outcome(result: AttackResult, max_distance: int, threat: Threat) -> str:
    """Say what an attack found."""
    if result.distance is None:
        return f"The attack found nothing within {edits(max_distance, threat)}, which proves nothing."
    return f"{edits(result.distance, threat).capitalize()} can change this label."


def edits(count: int, threat: Threat) -> str:
    """Return "one edit", "2 insertions or deletions", …: what the threat allows, so many times."""
    if threat.operations == OPERATIONS:
        return counted(count, "edit")
    kinds = [_NOUNS[operation] for operation in ("insert", "delete", "substitute") if operation in threat.operations]
    number = "one" if count == 1 else str(count)
    return f"{number} {' or '.join(kind + 's' * (count != 1) for kind in kinds)}"


def counted(count: int, noun: str) -> str:
    """Return "one edit" or "3 edits"."""
    return f"one {noun}" if count == 1 else f"{count} {noun}s"
