"""A statement in another dialect, as it was written: parsed and printed, nothing rewritten."""

from sqlglot import exp

from workloads.sql.parse import parse
from workloads.workload import Query


def translate(query: Query, dialect: str, target: str) -> str:
    """Return the text of `query` in the dialect `target`, its tables without their schemas.

    Raises:
        SqlError: The text does not parse.
    """
    if dialect == target:
        return query.sql
    tree = parse(query, dialect)
    for table in tree.find_all(exp.Table):
        table.set("db", None)
        table.set("catalog", None)
    return tree.sql(target)
