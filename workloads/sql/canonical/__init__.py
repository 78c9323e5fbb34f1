"""The canonical form: one file a rewrite, applied in the order of `rules.canonical`."""
