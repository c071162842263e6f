"""Helpers for the tests of your own project."""

from levcert.testing.verified import assert_verified

__all__ = ["assert_verified"]
