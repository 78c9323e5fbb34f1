"""The Spark session: its settings, executors, joins and what its JVM is asked."""
