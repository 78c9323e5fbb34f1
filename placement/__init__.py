"""The placement of tables: stores as descriptions, costs, fragments, the model and plans."""
