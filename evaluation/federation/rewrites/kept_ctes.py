"""The choice between keeping a CTE and writing it into its readers."""

from sqlglot import exp


def kept_ctes(tree: exp.Query) -> exp.Query:
    """Drop MATERIALIZED and NOT MATERIALIZED, which change no answer, where SQL has neither."""
    for cte in tree.find_all(exp.CTE):
        cte.set("materialized", None)
    return tree
