"""Which files a run reads: files, folders and patterns, in a fixed order; and which part of them is this run's."""

from __future__ import annotations

import glob
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from levcert.datasets.readers import ENDINGS
from levcert.errors import InputError


def input_files(given: Iterable[str | Path], output: Path | None = None) -> list[Path]:
    """Return the files that are meant, each once; the readable files of a folder, and of those inside it, by name."""
    found: list[Path] = []
    for name in map(Path, given):
        matches = _meant(name)
        if not matches:
            raise InputError(f"No file matches {name}; name a file, or a folder or a pattern with some.")
        found += [path for path in matches if len(matches) == 1 or not _same(path, output)]
    seen: set[Path] = set()
    for path in found:
        if path.resolve() in seen:
            raise InputError(f"The file {path} is given twice; give it once.")
        if _same(path, output):
            raise InputError(f"{path} is the input and the output; choose another output.")
        seen.add(path.resolve())
    return found


def _meant(name: Path) -> list[Path]:
    if name.is_dir():
        return [path for path in sorted(name.rglob("*")) if path.is_file() and _is_readable(path.relative_to(name))]
    if not name.exists() and glob.has_magic(str(name)):
        return [Path(path) for path in sorted(glob.glob(str(name), recursive=True)) if Path(path).is_file()]
    return [name]


def _is_readable(path: Path) -> bool:
    """Say whether a file of a folder is one of rows; names that begin with . or _ are notes of other programs."""
    return path.name.endswith(ENDINGS) and not any(part.startswith((".", "_")) for part in path.parts)


def _same(path: Path, output: Path | None) -> bool:
    return output is not None and path.resolve() == output.resolve()


@dataclass(frozen=True)
class Shard:
    """One of several parts of the input: of at least ``count`` files every ``count``-th, otherwise every such row."""

    number: int
    count: int

    @classmethod
    def of(cls, text: str) -> Shard:
        """Read ``3/16``."""
        match = re.fullmatch(r"([0-9]{1,9})/([0-9]{1,9})", text)
        if match is None or not 1 <= int(match[1]) <= int(match[2]):
            raise InputError(f"A shard is a number of a number, such as 3/16, not {text!r}.")
        return cls(int(match[1]), int(match[2]))

    def __str__(self) -> str:
        return f"{self.number}/{self.count}"
