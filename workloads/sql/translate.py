"""A statement in another dialect than its own."""

from sqlglot import exp

from workloads.catalog import Catalog
from workloads.sql.canonical.rules import resolved
from workloads.sql.meaning import FOREIGN
from workloads.sql.parsing.door import door
from workloads.sql.parsing.parse import parse
from workloads.sql.resolving.own_types import carried_as_text
from workloads.workload import Query


def meant(query: Query, catalog: Catalog, dialect: str) -> str:
    """Return a statement in DuckDB's SQL with the meaning that it has in its own dialect.

    Where the differences of the dialect are not known, it is only translated.

    Raises:
        SqlError: The text does not parse, or has a name that the catalog does not know.
    """
    if dialect in FOREIGN or carried_as_text(catalog):
        return resolved(query, catalog, dialect).sql("duckdb", identify=True)
    return translate(query, dialect, "duckdb")


def over_tables(query: Query, catalog: Catalog, dialect: str) -> str:
    """Return a statement in DuckDB's SQL that reads nothing but the catalog's tables.

    Where nothing else could be read it is as it was written.

    Raises:
        SqlError: The text does not parse, or has a name that the catalog does not know.
    """
    former = any(table.former_names for table in catalog.tables.values())
    carried = bool(carried_as_text(catalog))
    rewritten = catalog.views or former or carried or "dual" in query.sql.lower()
    if dialect == "duckdb" and not rewritten:
        return translate(query, dialect, "duckdb")
    return resolved(query, catalog, dialect).sql("duckdb", identify=True)


def translate(query: Query, dialect: str, target: str) -> str:
    """Return the text of `query` in the dialect `target`, its tables without their schemas.

    It is parsed and printed, and nothing is rewritten.

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
