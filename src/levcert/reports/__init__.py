"""Robustness reports: one self-contained HTML file about a model on given texts."""

from levcert.reports.write import Origin, report

__all__ = ["Origin", "report"]
