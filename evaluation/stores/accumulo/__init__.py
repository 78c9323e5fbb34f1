"""Accumulo: a store that is scanned; control and bulk by a Java program of ours."""
