"""What is asked: tables, queries, footprints and the access graph."""
