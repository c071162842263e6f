"""The commands of ``levcert``, one file each: parse, call, print; ``levcert.cli.app`` puts them together.

What they share is in the folder above: what they read (``inputs``), how they certify and against whom
(``certification_flags``), where rows go (``outputs``) and how a command ends (``exit_codes``).
"""
