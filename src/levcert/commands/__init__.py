"""The commands of ``levcert``, one file each: parse, call, print; ``levcert.cli`` puts them together.

What they share: where texts (``texts_in``), labelled rows (``data_in``) and the attacker (``threat_in``) come from,
where rows go (``rows_out``, ``part_file``), how long it takes (``progress``) and how a command ends (``endings``).
"""
