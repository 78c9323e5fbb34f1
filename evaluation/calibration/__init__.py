"""Measures the rates of a project's stores and of the engine, for the model that places tables."""
