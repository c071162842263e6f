"""requirements/*.txt, which `make demo` and `make test` install, agree with pyproject.toml and constraints.txt."""

import re
import tomllib
from importlib.metadata import PackageNotFoundError, requires
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
CURE = "run `make locks` after a change of constraints.txt or pyproject.toml"
WITHOUT_HASH = {"torch"}  # see the Makefile


def pins(name):
    """Return the version and the number of hashes of each package in a lock or in the constraints."""
    found = {}
    for line in (ROOT / name).read_text().splitlines():
        if match := re.match(r"([\w.-]+)==([^\s;]+)", line):
            package = canonicalize_name(match[1])
            found[package] = [match[2], 0]
        elif re.match(r"\s+--hash=sha256:[0-9a-f]{64}\b", line):
            found[package][1] += 1
    return found


def direct(extra=None):
    """Yield what the project itself requires, with the extras that an extra names."""
    project = PROJECT["project"]
    for line in project["optional-dependencies"][extra] if extra else project["dependencies"]:
        requirement = Requirement(line)
        if requirement.name == "levcert":
            for inner in requirement.extras:
                yield from direct(inner)
        else:
            yield requirement


CONSTRAINTS = {name: version for name, (version, _) in pins("constraints.txt").items()}
LOCKS = {"core": list(direct()), "dev": [*direct(), *direct("dev")]}
BUILD = [Requirement(line) for line in PROJECT["build-system"]["requires"]]


@pytest.mark.parametrize("lock", [*LOCKS, "tools"])
def test_every_package_of_a_lock_has_hashes_and_the_version_of_the_constraints(lock):
    locked = pins(f"requirements/{lock}.txt")
    assert [name for name, (_, hashes) in locked.items() if hashes == 0] == []
    known = CONSTRAINTS if lock != "tools" else {name: CONSTRAINTS.get(name, locked[name][0]) for name in locked}
    differing = {name: version for name, (version, _) in locked.items() if known.get(name) != version}
    assert differing == {}, CURE


@pytest.mark.parametrize("lock", LOCKS)
def test_a_lock_has_what_the_project_requires(lock):
    locked = pins(f"requirements/{lock}.txt")
    assert not WITHOUT_HASH & set(locked)
    for requirement in [*LOCKS[lock], *BUILD]:
        name = canonicalize_name(requirement.name)
        version = CONSTRAINTS[name] if name in WITHOUT_HASH else locked.get(name, ["none"])[0]
        assert version != "none", f"{name} is missing; {CURE}"
        assert requirement.specifier.contains(version, prereleases=True), f"{name} {version}; {CURE}"


@pytest.mark.parametrize("lock", LOCKS)
def test_a_lock_has_what_its_packages_require(lock):
    """Nothing else is installed: pip gets --no-deps."""
    locked, missing = pins(f"requirements/{lock}.txt"), []
    asked = [(canonicalize_name(given.name), given.extras) for given in LOCKS[lock]]
    for name, extras in [*asked, *((name, set()) for name in locked)]:
        try:
            needed = [Requirement(line) for line in requires(name) or []]
        except PackageNotFoundError:
            continue  # for another system, or a part of the build
        for part in needed:
            wanted = part.marker is None or any(part.marker.evaluate({"extra": extra}) for extra in ("", *extras))
            if wanted and canonicalize_name(part.name) not in {*locked, *WITHOUT_HASH} and name not in WITHOUT_HASH:
                missing.append((name, str(part)))
    assert missing == [], CURE


def test_the_build_backend_is_pinned():
    assert [str(requirement) for requirement in BUILD] == [f"hatchling=={CONSTRAINTS['hatchling']}"]


def test_the_locks_name_no_server():
    for lock in (ROOT / "requirements").glob("*.txt"):
        assert "://" not in lock.read_text()
