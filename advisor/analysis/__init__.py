"""The analysis of a project: workload, catalog, footprints and fragments."""
