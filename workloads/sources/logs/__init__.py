"""A workload from query logs, histories and files of SQL."""
