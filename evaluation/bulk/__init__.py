"""Rows on their way from Parquet into a store, in portions and formats that servers load fast."""
