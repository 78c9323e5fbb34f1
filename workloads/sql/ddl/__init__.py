"""Statements of DDL, read as definitions of tables."""
