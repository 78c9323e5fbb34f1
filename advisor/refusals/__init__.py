"""The refusals of a project, all of them together, before anything is placed or loaded."""
