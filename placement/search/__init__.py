"""Searching placements: bounds from prices, first placements, moves, and parts solved again."""
