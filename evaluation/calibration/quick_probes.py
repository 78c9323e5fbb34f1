"""The statements of a quick calibration: a handful over TPC-H, and a few over a live store's own.

Those over TPC-H are of the full calibration, too. Those over live tables only read, and only
tables that the catalog says are small.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from evaluation.calibration.probes import NAME, PROBES
from workloads.benchmarks.tpch import queries
from workloads.catalog import Catalog, Column, Table
from workloads.workload import Query, Workload

SCALE_FACTOR = 0.05
SMALL = ("nation", "region", "customer", "orders")
LARGE = "lineitem"
"""Tables of TPC-H that stores get; the large one only where loading it does not take too long."""

START, WORK = "start_few_rows", "group_few"
JOINED_FEW, JOINED = "start_joined", "q13"
"""Statements whose join the engine makes where their tables are in two stores.

It joins a few rows in the first, and 75,000 in the second.
"""
CROSSING = (JOINED_FEW, JOINED, "join_chain", "q3")
"""Statements that are also run with their tables in several stores."""
ALONE = (
    *(START, JOINED_FEW, JOINED, WORK),
    *("join_chain", "join_grouped", "group_dates", "q3", "out_wide"),
)
"""Statements that each store runs alone, as far as it has their tables.

Queries tell more than probes do: rates from statements over one table each were 28 % too fast for
the queries of TPC-DS, those from queries are not. No probe looks for text: a scan with LIKE took 3
to 3.6 times its default seconds where groupings took 0.6 to 1.4 times theirs.
"""

MOST_LIVE_BYTES = 64 << 20
"""Bytes, by the catalog, of the largest live table that a statement reads."""
MOST_LIVE_ROWS = 20_000
"""Rows, by the catalog, that a statement fetches of a live table at most."""
_LEAST_LIVE_ROWS = 100
_PLAIN = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "DATE", "DECIMAL")


def quick_workload() -> Workload:
    """Return the statements over TPC-H, each once."""
    published = {each.name: each.sql for each in queries().queries}
    return _workload((name, (published.get(name) or PROBES[name]).strip()) for name in ALONE)


def live_workload(catalog: Catalog, store: str) -> tuple[Workload, tuple[Table, ...]]:
    """Return the statements over the tables that a live store has itself, and these tables.

    The smallest table tells what a statement costs that does next to nothing, the largest one of at
    most `MOST_LIVE_BYTES` what reading and grouping rows take, and the largest one of at most
    `MOST_LIVE_ROWS` what rows take that are handed out. A store without such tables has none.
    """
    small = [
        (table, columns)
        for table in catalog.tables_of(store).values()
        if 0 < table.bytes <= MOST_LIVE_BYTES
        if (columns := _plain(table))
    ]
    small.sort(key=lambda each: (each[0].bytes, each[0].name))
    statements: list[tuple[str, str]] = []
    used: list[Table] = []
    if small and small[0][0].rows <= MOST_LIVE_ROWS:
        used.append(small[0][0])
        statements.append((START, f"SELECT COUNT(*) AS n FROM {_named(small[0][0])}"))  # noqa: S608
    if small and small[-1][0].rows >= _LEAST_LIVE_ROWS:
        table, columns = small[-1]
        used.append(table)
        statements += _reading(table, columns)
    handed = [each for each in small if _LEAST_LIVE_ROWS <= each[0].rows <= MOST_LIVE_ROWS]
    if handed:
        table, columns = handed[-1]
        used.append(table)
        listed = ", ".join(map(_quoted, columns))
        statements.append(("out_rows", f"SELECT {listed} FROM {_named(table)}"))  # noqa: S608
    tables = {each.name: replace(each, foreign_keys=()) for each in used}
    return _workload(statements), tuple(tables.values())


def _reading(table: Table, columns: Sequence[Column]) -> Iterator[tuple[str, str]]:
    column, name = _quoted(columns[-1]), _named(table)
    yield (
        WORK,
        (
            f"SELECT COUNT(*) AS n FROM (SELECT {column}, COUNT(*) AS m FROM {name} "  # noqa: S608
            f"GROUP BY {column}) AS g"
        ),
    )
    yield "scan_count", f"SELECT COUNT({column}) AS n FROM {name}"  # noqa: S608


def _plain(table: Table) -> list[Column]:
    """Return the columns of numbers and days that a store has as the engine reads them."""
    return [
        each
        for each in table.columns
        if each.type.upper().split("(")[0] in _PLAIN and not each.own_type and not each.read_as
    ]


def _named(table: Table) -> str:
    parts = (table.schema, table.own_name) if table.schema else (table.own_name,)
    return ".".join(map(_marked, parts))


def _quoted(column: Column) -> str:
    return _marked(column.name)


def _marked(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _workload(statements: Iterable[tuple[str, str]]) -> Workload:
    return Workload(
        name=NAME,
        dialect="duckdb",
        queries=tuple(
            Query(name=name, sql=text, origin=f"{NAME} {name}") for name, text in statements
        ),
    )
