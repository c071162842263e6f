"""Attackers with a profile: threats by name, or from a JSON file.

==============  ====================================================================================================
``ocr``         substitutions between characters that scanners mistake for each other (0 and O, c and e)
``keyboard``    a key slips: substitutions by the keys around it on a US keyboard, insertions of any of its keys, and
                deletions
``leet``        substitutions of letters by the digits and signs of "leet", and back (e and 3, s and $)
``ascii``       any edit, but what it brings in is printable ASCII
``whitespace``  insertions and deletions of white space, and substitutions of one white-space character by another
==============  ====================================================================================================

``operations`` restrict or extend the operations of a profile; what it lists stays.  A file holds a threat as a
certificate does, with ``operations``, ``symbols``, ``neighbours`` and ``deletable`` (docs/formats.md).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final

from levcert.errors import InputError
from levcert.text.edits import OPERATIONS, Operation, OperationName
from levcert.text.threat import PRINTABLE_ASCII, Threat, keyboard_neighbours

_WHITE_SPACE: Final = " \t\n\r\N{NO-BREAK SPACE}"
_OCR_GROUPS: Final = (
    "0OoQD", "1lIi|!", "2Zz", "5Ss", "6bG", "8B", "9gq", "ceo", "ft", "hbk", "nrm", "uv", "vy", "EF", "PR", "MN", "UVY",
    ".,", ":;", "'`", "-_",
)  # fmt: skip
_LEET_GROUPS: Final = (
    "aA4@", "bB8", "eE3", "gG69", "iI1!|", "lL1|", "oO0", "sS5$", "tT7+", "zZ2",
)  # fmt: skip
_SUBSTITUTE: Final = frozenset({Operation.SUBSTITUTE})


def profile(name: str | Path, operations: Collection[Operation | OperationName] | None = None) -> Threat:
    """Return the threat of a profile by its name, or of a JSON file; ``operations`` replace those of the profile.

    Examples:
        >>> levcert.profile("keyboard", operations=["substitute"]).neighbours["a"]
        'qwsz'
    """
    if isinstance(name, str) and name in PROFILES:
        threat = replace(PROFILES[name](), profile=name)
    elif isinstance(name, str | Path) and Path(name).suffix == ".json":
        threat = _of_file(Path(name))
    else:
        raise InputError(f"A profile is one of {', '.join(PROFILES)}, or a .json file, not {str(name)!r}.")
    return threat if operations is None else replace(threat, operations=operations)  # type: ignore[arg-type]


def _of_file(path: Path) -> Threat:
    try:
        fields = json.loads(path.read_text(encoding="utf-8"))
        if not isinstance(fields, dict):
            raise InputError("it is not an object")
        threat = Threat.from_dict({"operations": sorted(map(str, OPERATIONS))} | fields)
    except OSError as error:
        raise InputError(f"Cannot read the profile {path}: {error.strerror or error}.") from None
    except (InputError, ValueError, TypeError, RecursionError) as error:
        raise InputError(f"{path} is not a profile, a JSON object with the fields of a threat: {error}") from None
    return replace(threat, profile=threat.profile or path.stem)


def _within(groups: Collection[str]) -> dict[str, str]:
    """Return for each character of the groups all others that it shares a group with."""
    near: dict[str, str] = {}
    for group in groups:
        for character in group:
            near[character] = "".join(dict.fromkeys(near.get(character, "") + group.replace(character, "")))
    return near


def _listed(near: Mapping[str, str]) -> str:
    return "".join(sorted(near.keys() | set("".join(near.values()))))


def _confusions(groups: Collection[str]) -> Threat:
    near = _within(groups)
    return Threat(_SUBSTITUTE, symbols=_listed(near), neighbours=near)


def _keyboard() -> Threat:
    near = keyboard_neighbours()
    return Threat(OPERATIONS, symbols=_listed(near), neighbours=near)


def _white_space() -> Threat:
    return Threat(OPERATIONS, symbols=_WHITE_SPACE, neighbours=_within([_WHITE_SPACE]), deletable=_WHITE_SPACE)


PROFILES: Final[dict[str, Callable[[], Threat]]] = {
    "ocr": lambda: _confusions(_OCR_GROUPS),
    "keyboard": _keyboard,
    "leet": lambda: _confusions(_LEET_GROUPS),
    "ascii": lambda: Threat(symbols=PRINTABLE_ASCII),
    "whitespace": _white_space,
}
