"""The commands of ``levcert``, one file each: parse, call, print; ``levcert.cli.app`` puts them together.

What they share is in the folder above: where texts (``text_inputs``), labelled rows (``dataset_inputs``) and the
attacker (``threat_flags``) come from, where rows go (``outputs``) and how a command ends (``exit_codes``).
"""
