"""Indexes that are chosen for copies, with the placement."""
