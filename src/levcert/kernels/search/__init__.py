"""The hot loops of the exact radius of bounded votes; all in whole numbers (docs/exact-radius.md)."""
