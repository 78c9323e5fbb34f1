"""The placement problem of a project, with the rates of its stores."""
