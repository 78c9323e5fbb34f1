"""A statement in another dialect, as it was written: parsed and printed, nothing rewritten."""

from sqlglot import exp

from workloads.sql.door import door
from workloads.sql.parse import parse
from workloads.workload import Query


def translate(query: Query, dialect: str, target: str) -> str:
    """Return the text of `query` in the dialect `target`, its tables without their schemas.

    A text that is in that dialect, and names no schema, stays as it was written.

    Raises:
        SqlError: The text does not parse.
    """
    if dialect == target and "." not in query.sql:
        return query.sql
    tree = parse(query, dialect)
    named = [node for node in tree.find_all(exp.Table, exp.Column) if node.args.get("db")]
    if dialect == target and not named:
        return query.sql
    for node in named:
        node.set("db", None)
        node.set("catalog", None)
    with door(query):
        return tree.sql(target)
