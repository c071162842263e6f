"""What an output was made from, in ``NAME.manifest`` next to it: inputs, model, options, version, rows, checksums.

With it, a finished output is recognised and not computed again, and a run is not continued with anything other than it
was begun with.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any, Final

from levcert.errors import InputError
from levcert.files.atomic import atomic_path

Identity = dict[str, Any]  # what decides the rows: command, version, model, options, inputs

IN_WORDS: Final = {"levcert": "the version of levcert", "command": "the command"}


def manifest_path(output: Path) -> Path:
    return output.with_name(f"{output.name}.manifest")


def file_facts(path: Path, name: str | None = None) -> dict[str, Any]:
    """Return name, size and SHA-256 of a file."""
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
        return {"file": str(path) if name is None else name, "bytes": file.tell(), "sha256": digest}


def write_manifest(output: Path, manifest: dict[str, Any]) -> None:
    """Write the manifest of an output, completely or not at all."""
    with atomic_path(manifest_path(output)) as part:
        part.write_text(json.dumps(manifest, indent=2) + "\n", encoding="ascii")


def read_manifest(output: Path) -> dict[str, Any] | None:
    """Return the manifest of an output that is exactly as the run wrote it; otherwise None."""
    try:
        manifest = json.loads(manifest_path(output).read_bytes())
        facts = file_facts(output)
        is_same = all(manifest["output"][name] == facts[name] for name in ("bytes", "sha256"))
        complete = {"identity", "rows", "summary", "skipped"} <= manifest.keys()
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None
    return manifest if is_same and complete else None


def difference(before: Identity, now: Identity) -> str | None:
    """Say in what the identities of two runs differ; None: in nothing."""
    for name, words in IN_WORDS.items():
        if before.get(name) != now.get(name):
            return f"{words} was {before.get(name)} and is now {now.get(name)}"
    if _sha(before.get("model")) != _sha(now.get("model")):
        return "the model is another one"
    old, new = before.get("options") or {}, now.get("options") or {}
    for name in {**old, **new}:
        if old.get(name) != new.get(name):
            return f"the option {name} was {_shown(old.get(name))} and is now {_shown(new.get(name))}"
    return _input_difference(before.get("inputs"), now.get("inputs"))


def refuse(before: Identity, now: Identity, output: Path, cure: str) -> None:
    """Refuse to continue a run with anything else than it was begun with."""
    if (reason := difference(before, now)) is not None:
        raise InputError(f"The run of {output} cannot continue, because {reason}; {cure}.")


def _input_difference(old: list[dict[str, Any]] | None, new: list[dict[str, Any]] | None) -> str | None:
    if old is None or new is None:
        return None if old is new else "its texts came from a pipe, or do now"
    if len(old) != len(new):
        return f"there were {len(old):,} inputs and there are now {len(new):,}"
    for one, other in zip(old, new, strict=True):
        if one.get("file") != other.get("file"):
            return f"the input was {one.get('file')} and is now {other.get('file')}"
        if one != other:
            return f"the input {one.get('file')} has changed since"
    return None


def _sha(model: Any) -> Any:
    return model.get("sha256") if isinstance(model, dict) else model


def _shown(value: Any) -> str:
    return "not given" if value is None else str(value)
