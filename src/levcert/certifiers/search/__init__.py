"""The exact radius of bounded votes for any number of edits (docs/exact-radius.md)."""
