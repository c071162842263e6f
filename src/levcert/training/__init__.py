"""Training: bounded votes, without torch; the paper's network (``conv``), with torch."""
