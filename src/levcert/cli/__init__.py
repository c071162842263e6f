"""The command ``levcert``: its commands, their flags, and what they print."""
