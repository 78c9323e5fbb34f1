"""A problem as arrays: many placements priced at once."""
