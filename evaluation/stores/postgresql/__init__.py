"""The back end of PostgreSQL and its sessions."""
