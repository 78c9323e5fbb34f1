"""What is known of tables' contents: measured once, by DuckDB, and remembered."""
