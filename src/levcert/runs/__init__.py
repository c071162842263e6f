"""Long runs: rows in, workers, rows out in the same order; nothing is lost or done twice, however a run ends."""
