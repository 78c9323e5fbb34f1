"""How many rows and bytes a fragment of a query returns, before it is run."""
