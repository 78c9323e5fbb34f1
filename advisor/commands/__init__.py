"""The commands: their arguments, and what each does."""
