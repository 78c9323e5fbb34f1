"""Workloads: tables, queries, footprints and the access graph."""
