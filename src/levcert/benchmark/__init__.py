"""The paper's tables and figures as data, measured again by one command; see docs/results.md."""
