"""Names resolved against the catalog, and views replaced by their queries."""
