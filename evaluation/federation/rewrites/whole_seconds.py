"""The second of a minute without its fraction."""

from sqlglot import exp


def whole_seconds(tree: exp.Query) -> exp.Query:
    """Cut the fraction of a second off, as DuckDB does: PostgreSQL and Spark extract it too."""
    for node in list(tree.find_all(exp.Extract, exp.Second)):
        if isinstance(node, exp.Second):
            extract = exp.Extract(this=exp.var("SECOND"), expression=node.this.copy())
            node.replace(exp.Floor(this=extract))
        elif node.name.upper() == "SECOND":
            node.replace(exp.Floor(this=node.copy()))
    return tree
