"""Which recorded executions count as workload."""
