"""Contents of a server in use that a new project file names: schemas, logs. One file a kind."""
