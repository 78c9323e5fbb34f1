"""A plan beside the project, analysis and problem that it belongs to, and its measured runs."""
