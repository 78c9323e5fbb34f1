"""A new project file: of which servers and data, and what is found there."""
