"""Helpers for the tests of your own project."""

from levcert.testing.contracts import check_attack, check_certifier, check_model
from levcert.testing.verified import assert_verified

__all__ = ["assert_verified", "check_attack", "check_certifier", "check_model"]
