"""Placement strategies and their registry."""
