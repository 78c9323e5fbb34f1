"""The in-memory object store: sealed, immutable objects in the shared memory of several nodes."""
