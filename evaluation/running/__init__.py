"""Running a compiled query: reading its fragments, combining them, cancelling, failing over."""
