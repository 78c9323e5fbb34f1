"""Text to syntax tree: dialects, tokens, limits, and errors with their place."""
