"""Embedded servers, their binaries and Java."""
