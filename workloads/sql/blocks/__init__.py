"""Facts of a block: its aggregates, its outputs, and the filters that may be pushed into it."""
