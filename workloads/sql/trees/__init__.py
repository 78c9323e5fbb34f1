"""The blocks of a syntax tree, its subqueries and its predicates."""
