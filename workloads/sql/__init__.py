"""The one door to sqlglot for reading SQL: text in, footprints out."""
