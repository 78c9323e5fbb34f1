"""Types and kinds of expressions, as DuckDB infers them."""
