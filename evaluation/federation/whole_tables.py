"""A query whose tables are fetched and which DuckDB runs as it was written: the way that is left.

An error may depend on the order in which conditions are evaluated: text that is cast in a row that
a join would have left out. DuckDB's own plan is the one that counts, and it has it here.
"""

from collections.abc import Callable, Sequence

from sqlglot import exp

from evaluation.federation.compiled import CompiledFragment
from evaluation.federation.result_types import TypeOracle
from placement.fragment import Coverage, EstimatedWork, Fragment
from placement.plan import RoutedFragment
from placement.stores import Capability
from workloads.catalog import Catalog, Table
from workloads.errors import SqlError

MOST_BYTES = 1 << 30
"""Bytes of the tables' columns up to which they are fetched for a second try."""


def table_fragments(
    query: str,
    routing: Sequence[RoutedFragment],
    catalog: Catalog,
    types: TypeOracle,
    spelled: Callable[[exp.Query, str], str],
) -> tuple[CompiledFragment, ...]:
    """Return a fragment for each table that `routing` reads, with all columns, from one store.

    `spelled` writes a query over one table in the SQL of a store.

    Raises:
        SqlError: The tables are too large to be fetched.
    """
    stores = {table: each.store for each in routing for table in each.fragment.tables}
    tables = {name: catalog.table(name) for name in sorted(stores)}
    if sum(each.bytes for each in tables.values()) > MOST_BYTES:
        raise SqlError("its tables are too large to be fetched", origin=query)
    found = []
    for number, (name, table) in enumerate(tables.items()):
        columns = (exp.column(each.name, table=name, quoted=True) for each in table.columns)
        read = exp.select(*columns).from_(exp.Table(this=exp.to_identifier(name, quoted=True)))
        sql = spelled(read, stores[name])
        found.append(
            CompiledFragment(
                view=f"fragment_{number}",
                store=stores[name],
                fragment=_fragment(query, table),
                sql=sql,
                rows=sql,
                columns=tuple(each.name for each in table.columns),
                types=types.types(read),
            )
        )
    return tuple(found)


def _fragment(query: str, table: Table) -> Fragment:
    return Fragment(
        coverage=Coverage(
            query=query,
            kind=Capability.SCAN,
            block="",
            sources=(table.name,),
            tables=frozenset({table.name}),
        ),
        work=EstimatedWork(
            scan_bytes=table.bytes,
            column_bytes=table.bytes,
            join_rows=0.0,
            aggregate_rows=0.0,
            rows_out=float(table.rows),
            row_bytes_out=table.row_bytes,
        ),
    )
