"""Texts: alphabets, edits, distances, balls of edits, and what an attacker may do."""
