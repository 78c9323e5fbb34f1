"""Back ends of stores: one file or folder a kind, named in its description."""
