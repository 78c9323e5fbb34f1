"""Index selections for one PostgreSQL: ours, published ones, and those of described algorithms."""
