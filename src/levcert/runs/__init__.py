"""Long runs: rows that survive an interruption, and how far a run is."""
