"""Measurements written to the report folder and to MLflow."""
