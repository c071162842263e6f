"""Tests that look for trouble: they search for a false certificate, for every certifier and every kind of threat.

oracle.py         the true answer, in plain Python, from public data alone
judge.py          one case, every certifier and attack, compared with the oracle
threats.py        all sets of operations, with and without restrictions
milp_votes.py     votes made to measure: one text of a ball loses the label, no other
lp_heads.py       the same for convolutions: a head under which one text loses the label, no other
alternating_taps.py   networks for which an insertion costs most by what it shifts
hill_climber.py   weights, votes and texts climb towards a false certificate; extreme scales; bisection to the boundary
typed_texts.py    random models, texts with capitals and unknown characters, bytes
one_sided.py      the same cases, asked about one target, or with deletions of some characters only
false_rows.py     certificates made false: does the audit confirm one?
searches.py       what of this the gate runs: fixed seeds and counts, a few seconds each
mutations.py      bugs put back one at a time: does a search find them?

``python -m tests.trouble --minutes 5 --seed 7`` searches for longer,
``python -m tests.trouble.mutations`` puts the bugs back.
"""
