"""Live stores as sources: their tables, their statistics and the statements they ran."""
