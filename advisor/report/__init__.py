"""What is said to people: the terminal tables, the progress bars and the HTML report."""
