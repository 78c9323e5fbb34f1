"""Whether an engine's answer is DuckDB's: columns, values, rows, and the order that is fixed."""
