"""Needs of a run, asked of each store before: rights, settings, statistics. One file a kind."""
