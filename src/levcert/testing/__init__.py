"""Helpers for the tests of your own project."""

from levcert.testing.contracts import check_attack, check_certifier, check_model

__all__ = ["check_attack", "check_certifier", "check_model"]
