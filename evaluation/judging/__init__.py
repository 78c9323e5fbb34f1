"""The judge of an engine's answer: DuckDB's columns, values, rows and fixed order."""
