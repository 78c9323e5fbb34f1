"""Memory and disk of a store, from its own settings: one file a kind."""
