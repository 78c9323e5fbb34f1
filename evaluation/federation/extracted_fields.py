"""Parts of dates and times."""

from sqlglot import exp

_FIELDS = {exp.Quarter: "QUARTER", exp.Hour: "HOUR", exp.Minute: "MINUTE", exp.Second: "SECOND"}


def extracted_fields(tree: exp.Query) -> exp.Query:
    """Extract parts of dates: PostgreSQL has no functions of their names."""
    for node in list(tree.find_all(*_FIELDS)):
        field = exp.var(_FIELDS[type(node)])
        node.replace(exp.Extract(this=field, expression=node.this.copy()))
    return tree
