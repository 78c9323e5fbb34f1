"""The protocol of a store: its connection, columns, failures, and the form of its values."""
