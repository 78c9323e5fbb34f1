"""The columns that a query returns, with their types: those of a table that it fills."""

from dataclasses import replace

from sqlglot import exp
from sqlglot.optimizer.annotate_types import annotate_types

from workloads.catalog import Catalog, Column
from workloads.sql.parsing.door import door
from workloads.sql.parsing.parse import parse
from workloads.sql.resolving.resolve import qualified
from workloads.workload import Query

UNKNOWN = "VARCHAR"


def result_columns(query: Query, catalog: Catalog, dialect: str) -> tuple[Column, ...]:
    """Return the columns of `query`; those that it hands on unchanged as the catalog has them.

    The others have a type of DuckDB's and a width of 0.

    Raises:
        SqlError: The query does not parse, or reads what is not in the catalog.
    """
    written = parse(query, dialect)
    names = {name.lower(): name for name in (each.alias_or_name for each in written.selects)}
    tree = qualified(written, query, catalog, dialect)
    with door(query):
        annotate_types(tree, schema=dict(catalog.schema()), dialect="duckdb")
        found = [_column(select, tree, catalog) for select in tree.selects]
    return tuple(replace(each, name=names.get(each.name.lower(), each.name)) for each in found)


def _column(select: exp.Expr, tree: exp.Query, catalog: Catalog) -> Column:
    inner, name = select.unalias(), select.alias_or_name
    if isinstance(inner, exp.Column):
        tables = {table.alias_or_name: table.name.lower() for table in tree.find_all(exp.Table)}
        table = next(
            (t for n, t in catalog.tables.items() if n.lower() == tables.get(inner.table)), None
        )
        for column in table.columns if table is not None else ():
            if column.name.lower() == inner.name.lower():
                return Column(name=name, type=column.type, width_bytes=column.width_bytes)
    type_ = inner.type
    if type_ is None or type_.is_type(exp.DType.UNKNOWN, exp.DType.NULL):
        return Column(name=name, type=UNKNOWN, width_bytes=0.0)
    return Column(name=name, type=type_.sql("duckdb"), width_bytes=0.0)
