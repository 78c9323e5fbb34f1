"""The output for people: terminal tables, progress bars and the HTML report."""
