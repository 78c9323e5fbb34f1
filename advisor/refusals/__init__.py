"""What is refused of a project, all of it together, before anything is placed or loaded."""
