"""Where workloads come from."""
