"""Files of SQL of any size in one pass: statements apart from the data between them."""
