"""The page of a scan: one self-contained HTML file."""

from __future__ import annotations

from pathlib import Path

from levcert import __version__
from levcert.certificates.difference import describe, excerpt
from levcert.evaluation.scan import Scan
from levcert.files.atomic import atomic_path
from levcert.reports.html_page import AROUND, filled


def write_scan(scan: Scan, path: str | Path, *, name: str, data: str, command: str | None = None) -> None:
    """Write what a scan found, completely or not at all."""
    with atomic_path(path) as part:
        part.write_text(render_scan(scan, name, data, command), encoding="utf-8")


def render_scan(scan: Scan, name: str, data: str, command: str | None) -> str:
    """Fill in the template."""
    worst = []
    for row in scan.worst:
        certificate = row.certificate
        assert certificate.counterexample is not None and certificate.upper is not None  # noqa: PT018 - chosen so
        shown = describe(scan.classifier, certificate.text, certificate.counterexample, certificate.upper)
        worst.append((certificate.label, shown, excerpt(shown.difference, AROUND)))
    return filled("scan.html", scan=scan, name=name, data=data, command=command, worst=worst, version=__version__)
