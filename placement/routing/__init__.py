"""The cheapest routing of a workload over a given placement."""
