"""Sources of workloads and catalogs."""
