"""Parameters of statements: where they are, what they are compared with, values in their place."""
