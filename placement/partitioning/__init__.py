"""Graphs and hypergraphs partitioned by libraries that run in a process of their own."""
