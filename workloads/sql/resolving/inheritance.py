"""Tables that others inherit from, read without these: ``FROM ONLY parent`` of PostgreSQL."""

from sqlglot import exp

from workloads.catalog import Catalog
from workloads.sql.parsing.door import error_at
from workloads.sql.parsing.parse import start_of
from workloads.sql.resolving.views import cte_of
from workloads.workload import Query


def without_only(tree: exp.Query, query: Query, catalog: Catalog) -> exp.Query:
    """Return `tree` without ONLY, which changes nothing before a table that has no children.

    Raises:
        SqlError: A table has children. Its copies have their rows too, and do not tell whose a row
            is: its own server alone can answer.
    """
    for table in tree.find_all(exp.Table):
        if not table.args.get("only"):
            continue
        found = catalog.tables.get(catalog.spelled(table.name))
        if found is not None and found.has_children and cte_of(table) is None:
            reason = f"ONLY reads '{found.name}' without the tables that inherit from it"
            raise error_at(query, start_of(table), reason)
        table.set("only", None)
    return tree
