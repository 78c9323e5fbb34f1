"""Measurements: their types, what an executed plan tells, and how near the predictions were."""
