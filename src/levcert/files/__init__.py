"""Files that are whole or not there, and rows as csv, JSON lines and parquet."""
