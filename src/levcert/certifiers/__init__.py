"""Certifiers: each proves, for each text, how many edits cannot change its label."""

from levcert.certifiers.certify import CERTIFIERS, certify, certify_each

__all__ = ["CERTIFIERS", "certify", "certify_each"]
