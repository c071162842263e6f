"""The results of ``levcert check`` as files that CI servers read: JUnit XML and JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final
from xml.etree import ElementTree

from levcert.evaluation.gate import Check
from levcert.files.atomic import atomic_path

_NOT_XML: Final = re.compile(r"[^\t\n\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def write_json(path: Path, checks: Sequence[Check], facts: dict[str, Any]) -> None:
    """Write all requirements, those that passed among them."""
    with atomic_path(path) as part:
        part.write_text(json.dumps(facts | as_json(checks), indent=1) + "\n", encoding="utf-8")


def as_json(checks: Sequence[Check]) -> dict[str, Any]:
    """Return what became of all requirements as JSON can hold it."""
    return {"passed": all(check.passed for check in checks), "checks": [check.to_dict() for check in checks]}


def write_junit(path: Path, checks: Sequence[Check], name: str, seconds: float) -> None:
    """Write one test case for each requirement; a missed one is a failure, and lists texts that missed it."""
    failures = sum(not check.passed for check in checks)
    counts = {"tests": str(len(checks)), "failures": str(failures), "errors": "0", "time": f"{seconds:.3f}"}
    root = ElementTree.Element("testsuites", counts)
    suite = ElementTree.SubElement(root, "testsuite", {"name": _xml(name)} | counts)
    for check in checks:
        case = ElementTree.SubElement(suite, "testcase", {"classname": "levcert.check", "name": _xml(check.name)})
        if check.passed:
            ElementTree.SubElement(case, "system-out").text = _xml(check.sentence)
            continue
        failure = ElementTree.SubElement(case, "failure", {"message": _xml(check.sentence), "type": "requirement"})
        lines = [f"{row.truth} (labelled {row.label}, radius {row.radius}): {row.text!r}" for row in check.missed]
        failure.text = _xml("\n".join(["Texts that missed it:", *lines]))
    ElementTree.indent(root)
    with atomic_path(path) as part:
        ElementTree.ElementTree(root).write(part, encoding="utf-8", xml_declaration=True)


def _xml(text: str) -> str:
    """Write what XML cannot hold as escapes: control characters, lone surrogates and two others."""
    return _NOT_XML.sub(lambda found: ascii(found[0])[1:-1], text)
