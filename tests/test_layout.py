"""The layout that CONTRIBUTING.md promises: few modules at the root, few repeated names, tests that mirror rooms."""

from collections import Counter
from pathlib import Path

import pytest

import levcert

SOURCE = Path(levcert.__file__).parent
TESTS = Path(__file__).parent
# Theorems about certifiers, attacks and models together, searches for texts that refute them, and hostile input.
NO_ROOM = {Path("theory"), Path("trouble"), Path("hostile")}


def folders(root: Path) -> set[Path]:
    """All folders below ``root`` that hold Python files."""
    return {path.parent.relative_to(root) for path in root.rglob("*.py")} - {Path()}


def test_at_most_five_modules_are_at_the_root():
    assert sorted(path.name for path in SOURCE.glob("*.py")) == [
        "__init__.py",
        "__main__.py",
        "errors.py",
        "sklearn.py",
    ]


def test_no_basename_occurs_more_than_three_times():
    names = Counter(path.name for path in SOURCE.rglob("*.py") if path.name != "__init__.py")
    assert [name for name, count in names.items() if count > 3] == []


def test_every_room_says_in_its_first_line_what_it_is_for():
    for room in folders(SOURCE):
        first = (SOURCE / room / "__init__.py").read_text(encoding="utf-8").partition("\n")[0]
        assert first.startswith('"""'), room
        assert len(first) > 20, room


def test_every_folder_of_tests_mirrors_a_room():
    assert folders(TESTS) - NO_ROOM - folders(SOURCE) == set()


@pytest.mark.parametrize("room", sorted(folders(TESTS), key=str), ids=str)
def test_every_folder_of_tests_is_a_package(room):
    """Two test files may have the same name only if their folders are packages."""
    assert (TESTS / room / "__init__.py").exists()
