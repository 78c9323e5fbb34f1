"""The one door to sqlglot for reading SQL: text in, footprints out."""

from workloads.sql.footprints import footprint

__all__ = ["footprint"]
