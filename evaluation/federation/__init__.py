"""The door to sqlglot for writing SQL: a routed query becomes fragments and a combining query."""
