"""What really happens: stores, loading, federated execution and measurement."""
