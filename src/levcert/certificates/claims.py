"""What a certificate can claim, and what each claim is about."""

from typing import Final, Literal

Unit = Literal["characters", "bytes"]  # what an edit changes one of

IS_TARGET: Final = "is the target"  # of a one-sided certificate: the text has the label ``target`` as it is
ABSTAINED: Final = -1  # the radius of a text for which smoothing gives no answer


def holds_for_every_edit(claim: str) -> bool:
    """Say whether a radius holds, with certainty, for all edits that the threat allows."""
    return claim in ("proved", "exact")


def is_about_the_model(claim: str) -> bool:
    """Say whether a claim is about the model's own answers; smoothing certifies another, smoothed classifier."""
    return holds_for_every_edit(claim) or claim in ("substitutions only", IS_TARGET)
