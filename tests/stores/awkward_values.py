"""Values at the edges of every type that a copy may hold, and queries over them on one store."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import duckdb

from evaluation.federation.compile import Compiler
from evaluation.federation.compiled import CompiledQuery
from evaluation.kinds import KINDS
from evaluation.store_protocol.connection import Connection
from placement.fragments.enumeration import enumerate_fragments
from placement.plan import RoutedFragment
from placement.stores import Capability
from tests.data_fixtures import statement
from tests.stores.parquet_tables import UNPLEASANT_TEXT, write
from workloads.catalog import Catalog, Table
from workloads.estimation.cardinality import Estimator
from workloads.sql import footprint
from workloads.workload import Workload

MOMENTS = (
    "0001-01-01 00:00:00.000001",
    "1000-01-01 00:00:00",
    "1582-10-04 23:59:59.999999",
    "1582-10-10 12:30:15.123456",
    "1582-10-15 00:00:00",
    "1969-12-31 23:59:59.999999",
    "2000-02-29 12:30:59.999999",
    "2024-03-31 02:30:00.1",
    "9999-12-31 23:59:59.999999",
)
EDGES = {
    "TINYINT": ("-128", "127"),
    "SMALLINT": ("-32768", "32767"),
    "INTEGER": ("-2147483648", "2147483647"),
    "BIGINT": ("-9223372036854775808", "9223372036854775807"),
    "UTINYINT": ("0", "255"),
    "USMALLINT": ("0", "65535"),
    "UINTEGER": ("0", "4294967295"),
    "UBIGINT": ("0", "18446744073709551615"),
    "DECIMAL(4,1)": ("-999.9", "0.1"),
    "DECIMAL(18,10)": ("-99999999.9999999999", "0.0000000001"),
    "DECIMAL(38,0)": ("9" * 38, "-" + "9" * 38),
    "DECIMAL(38,10)": ("9" * 28 + ".0123456789", "-0.0000000002"),
    "FLOAT": ("16777216", "0.1", "-3.4028234663852886e38", "1e-45", "-0.0", "123456.789"),
    "DOUBLE": ("1.7976931348623157e308", "5e-324", "0.1", "-0.0", "123456789.12345679"),
    "BOOLEAN": ("true", "false"),
    "DATE": tuple(f"'{each[:10]}'" for each in MOMENTS),
    "TIMESTAMP": tuple(f"'{each}'" for each in MOMENTS),
    "TIMESTAMP_MS": ("'1582-10-10 12:30:15.123'", "'1969-12-31 23:59:59.999'"),
    "TIMESTAMP_S": ("'1582-10-10 12:30:15'", "'9999-12-31 23:59:59'"),
    "VARCHAR": tuple(f"'{each.replace(chr(39), 2 * chr(39))}'" for each in (*UNPLEASANT_TEXT, " ")),
    "TIMESTAMPTZ": ("'1582-10-10 12:30:15.123456+00'", "'2024-07-01 12:00:00.000001+05:30'"),
    "BLOB": (r"'\x00\xFF\x5C\x09\x0A'", r"'\x5Cx41'", "''", "encode('é')"),
}
"""Type → values that every store holds."""
BEYOND = {
    "FLOAT": ("'NaN'", "'Infinity'", "'-Infinity'"),
    "DOUBLE": ("'NaN'", "'Infinity'", "'-Infinity'"),
    "DATE": ("'10000-01-01'", "'123456-07-08'"),
    "TIMESTAMP": ("'10000-01-01 00:00:00.000001'",),
}
"""Type → values that MariaDB and MySQL cannot hold."""


def awkward(folder: Path, values: dict[str, tuple[str, ...]]) -> Table:
    """A table `awkward` with a column of each type, and NULL where a column has fewer values."""
    columns = {"id": "INTEGER"} | {f"c{place}": type_ for place, type_ in enumerate(values)}
    longest = max(map(len, values.values()))
    rows = []
    for row in range(longest + 1):
        padded = [each[row] if row < len(each) else "NULL" for each in values.values()]
        casts = zip(padded, values, strict=True)
        rows.append(f"({row}, {', '.join(f'CAST({text} AS {type_})' for text, type_ in casts)})")
    listed = f"SELECT * FROM (VALUES {', '.join(rows)}) AS v({', '.join(columns)})"
    return write(folder, "awkward", columns, listed, key="id")


def catalog_of(*tables: Table) -> Catalog:
    return Catalog(name="values", tables={table.name: table for table in tables})


def routed(sql: str, catalog: Catalog, kind: Capability, *stores: Connection) -> CompiledQuery:
    """Compile `sql` as the whole query of one store, or as scans that the engine combines.

    The first table of the catalog is read from the first of `stores`, and so on.
    """
    query = statement(sql)
    workload = Workload(name="values", queries=(query,), dialect="duckdb")
    found = footprint(query, catalog, "duckdb")
    holders = dict(zip(catalog.tables, stores, strict=False))
    fragments = [
        RoutedFragment(fragment=each, store=holders.get(table, stores[0]).store, predicted_s=0.0)
        for each in enumerate_fragments(found, Estimator(catalog, found))
        if each.kind is kind and not each.reduction.reducers and not each.reduction.preaggregated
        for table in sorted(each.tables)[:1]
    ]
    dialects = {
        each.store: replace(KINDS[each.kind].dialect(each.namespace), lacks=frozenset())
        for each in stores
    }
    return Compiler(workload, catalog, dialects).compile(query.name, fragments)


def in_duckdb(
    sql: str, tables: Sequence[Table]
) -> tuple[tuple[str, ...], tuple[str, ...], list[tuple[object, ...]]]:
    """Return names, types and rows of DuckDB's answer over the tables' Parquet."""
    with duckdb.connect() as session:
        session.execute("SET TimeZone = 'UTC'")
        for table in tables:
            columns = ", ".join(
                f'CAST("{c.name}" AS {c.type}) AS "{c.name}"' for c in table.columns
            )
            session.execute(
                f"CREATE TABLE \"{table.name}\" AS SELECT {columns} FROM '{table.parquet}'"
            )
        done = session.execute(sql)
        described = done.description or []
        return (
            tuple(str(each[0]) for each in described),
            tuple(str(each[1]) for each in described),
            done.fetchall(),
        )
