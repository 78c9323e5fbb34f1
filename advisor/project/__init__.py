"""The project file: read, checked, and turned into settings."""
