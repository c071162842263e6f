"""Files that are written completely or not at all, and rows as csv, JSON lines and parquet."""
