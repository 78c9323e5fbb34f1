"""Where tables should go: stores as descriptions, costs, fragments, the model and plans."""
