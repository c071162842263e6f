"""One self-contained HTML file that says how robust a model is on given texts."""

from levcert.report.write import Origin, write_report

__all__ = ["Origin", "write_report"]
