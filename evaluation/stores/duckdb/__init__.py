"""The back end of DuckDB and its sessions."""
