"""Store back ends and their registry."""
