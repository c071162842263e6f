"""Sentences that a native engineer would not write, and that must not come back."""

import re
from pathlib import Path

import pytest

import levcert

SOURCE = Path(levcert.__file__).parent
ROOMS = ["certificates", "cli", "evaluation", "files", "reports", "runs"]
PHRASES = [
    "so many first",
    "so many characters",
    "of no interest",
    "must do",
    "passed over",
    r"pass over (bad|rows|cells)",
    r"\bMend\b",
    "flags go before",
    "all that we have",
    "are none",
    "goes on from there",
    "starting anew",
]


@pytest.mark.parametrize("room", ROOMS)
def test_phrases_that_people_had_to_read_twice_are_gone(room):
    found = [
        f"{path.relative_to(SOURCE)}: {phrase}"
        for path in sorted((SOURCE / room).rglob("*"))
        if path.suffix in (".py", ".html", ".toml")
        for phrase in PHRASES
        if re.search(phrase, path.read_text(encoding="utf-8"))
    ]
    assert found == []
