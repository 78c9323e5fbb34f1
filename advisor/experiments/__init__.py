"""Experiments: how a workload behaves on several placements, workers, join strategies, engines."""
