"""The one door to MLflow: runs, their records, its database and its UI."""
