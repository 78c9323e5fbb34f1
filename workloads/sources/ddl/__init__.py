"""A catalog from files of DDL and dumps."""
