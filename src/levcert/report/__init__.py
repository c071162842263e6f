"""One self-contained HTML file that says how robust a model is on given texts."""

from levcert.report.write import write_report

__all__ = ["write_report"]
