"""Measuring on real stores: stores, loading, federated execution and measurement."""
