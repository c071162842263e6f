"""``levcert audit``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from levcert.cli.model_flags import ModelFile
from levcert.cli.outputs import Json, print_json
from levcert.runs.progress_bar import watched

if TYPE_CHECKING:
    from levcert.certificates.audit import AuditReport, Finding

_REFUTED = 1  # the exit code


def audit(
    model: ModelFile,
    rows: Annotated[Path, typer.Argument(help="Rows of levcert certify; - or a pipe: JSON lines.")],
    *,
    texts: Annotated[int, typer.Option(min=1, help="Enumerate balls of at most this many texts.")] = 20_000,
    trials: Annotated[int, typer.Option(min=0, help="Try this many texts of larger balls.")] = 400,
    limit: Annotated[int | None, typer.Option(min=1, help="Check only the first N rows.")] = None,
    sample: Annotated[int | None, typer.Option(min=1, help="Check N random rows.")] = None,
    seed: Annotated[int, typer.Option(help="The seed of random rows and trials.")] = 0,
    json: Json = False,
) -> None:
    """Check certificates with an independent, slow program; exit code 1 if one is refuted.

    Example: levcert audit toy.safetensors <(levcert certify toy.safetensors "hello w0rld" --json)
    """
    from levcert.certificates.audit import AuditReport, audit_each

    findings = audit_each(model, rows, texts=texts, trials=trials, limit=limit, sample=sample, seed=seed)
    report = AuditReport(tuple(watched(findings, "auditing")))
    if json:
        facts = {"model": str(model), "rows": len(report.findings), "counts": report.counts, "notes": report.notes}
        print_json(facts | {"findings": list(map(_facts, report.findings))})
    else:
        _print(report, f"{rows}, checked against {model}")
    if report.refuted:
        raise typer.Exit(_REFUTED)


def _facts(finding: Finding) -> dict[str, Any]:
    """Return a finding for JSON; byte texts in hexadecimal, as in files of certificates."""
    facts: dict[str, Any] = {"row": finding.row, "verdict": finding.verdict, "sentence": finding.sentence}
    for name, text in (("text", finding.text), ("witness", finding.witness)):
        facts |= {f"{name}_hex": text.hex()} if isinstance(text, bytes) else {name: text}
    return facts | {"looked_at": finding.looked_at}


def _print(report: AuditReport, title: str) -> None:
    """Print how many rows have which verdict, and every row that needs a person's attention."""
    from rich.text import Text

    from levcert.cli.console import console, table
    from levcert.text.printable import printable

    listing = table("", "verdict", ">rows")
    for verdict, count in report.counts.items():
        listing.add_row(verdict, f"{count:,}")
    console.print(Text(printable(title), style="bold"), soft_wrap=True)
    console.print(listing)
    for note in report.notes:
        console.print(Text(note), soft_wrap=True)
    for finding in report.findings:
        if finding.verdict not in ("REFUTED", "too close to call"):
            continue
        style = "bold red" if finding.verdict == "REFUTED" else "yellow"
        console.print(Text(printable(str(finding)), style=style), soft_wrap=True)
        console.print(Text(f"  text     {printable(finding.text)}"), soft_wrap=True)
        if finding.witness is not None:
            console.print(Text(f"  against  {printable(finding.witness)}"), soft_wrap=True)
