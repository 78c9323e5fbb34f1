"""The command line: reads configuration, runs the pipeline, prints, exits."""
