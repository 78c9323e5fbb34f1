"""Measured contents of tables: measured once, by DuckDB, and kept."""
