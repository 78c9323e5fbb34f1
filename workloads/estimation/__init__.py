"""Estimates of the rows and bytes that a fragment of a query returns."""
