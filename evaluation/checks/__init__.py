"""What a run will need of a store, asked before: rights, settings, statistics. One file a kind."""
