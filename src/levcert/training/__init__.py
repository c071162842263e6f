"""Training: the only part of the project that needs torch."""
