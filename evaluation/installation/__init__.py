"""Binaries, jars and Java, fetched once and kept in the cache."""
