"""Statements that differ only in literals, as one template."""
