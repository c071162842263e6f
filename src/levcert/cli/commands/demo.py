"""``levcert demo``."""

from __future__ import annotations

from levcert.cli.outputs import Json, print_json


def demo(json: Json = False) -> None:
    """Train a classifier on the embedded dataset and certify texts.

    Example: levcert demo
    """
    from levcert.cli.demo import run_demo

    figures = run_demo(show=not json)
    if json:
        print_json(figures)
