"""Rewrites that keep an answer where a store or the engine means something else."""
