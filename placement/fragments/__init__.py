"""The fragments that a query may be cut into, with the work that each is."""
