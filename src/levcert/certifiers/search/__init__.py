"""The parts of the exact search: single edits, pairs, far edits, chains and scripts of edits."""
