"""Parts of dates and times."""

from sqlglot import exp

_FIELDS = {exp.Quarter: "QUARTER", exp.Hour: "HOUR", exp.Minute: "MINUTE", exp.Second: "SECOND"}

_NAMES = {"DAYOFWEEK": "DOW", "DAYOFYEAR": "DOY"}


def extracted_fields(tree: exp.Query) -> exp.Query:
    """Extract parts of dates by PostgreSQL's names: it has no functions that are called so."""
    for node in list(tree.find_all(*_FIELDS)):
        field = exp.var(_FIELDS[type(node)])
        node.replace(exp.Extract(this=field, expression=node.this.copy()))
    for part in tree.find_all(exp.Extract):
        if part.name.upper() in _NAMES:
            part.set("this", exp.var(_NAMES[part.name.upper()]))
    return tree
