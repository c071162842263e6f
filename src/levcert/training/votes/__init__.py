"""Training and tuning of bounded votes, without torch."""
