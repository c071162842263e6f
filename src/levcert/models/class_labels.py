"""The names of classes, and the number of one of them."""

from collections.abc import Sequence
from typing import Final

from levcert.errors import InputError

LONGEST_LABEL: Final = 1000  # characters


def check_labels(labels: Sequence[str]) -> tuple[str, ...]:
    """Return the labels of a classifier: at least two, all different, strings without NUL of at most 1,000 characters.

    NumPy drops trailing NULs from strings, so labels that differ only in those would become equal.
    """
    try:
        names = tuple(labels)
        fit = len(names) >= 2 and len(set(names)) == len(names) and all(isinstance(name, str) for name in names)
    except TypeError:
        names, fit = (), False
    if not fit or any("\0" in name for name in names):
        raise InputError(f"A classifier needs at least two distinct labels, strings without NUL, not {labels!r}.")
    if any(len(name) > LONGEST_LABEL for name in names):
        raise InputError(f"A label has at most {LONGEST_LABEL:,} characters; shorten {max(names, key=len)[:40]!r}….")
    return names


def target_number(target: str, labels: Sequence[str]) -> int:
    """Return the number of the label that an attacker wants; refuse one that the classifier does not have."""
    if target not in labels:
        raise InputError(f"There is no label {target!r}; the classifier has {', '.join(map(repr, labels))}.")
    return labels.index(target)
