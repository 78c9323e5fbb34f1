"""The statements over TPC-H that tell how a store behaves: a large result, work, rows by key."""

from workloads.catalog import Catalog
from workloads.workload import Query, Workload

LARGE = "large"
LARGE_TABLE = "lineitem"
LARGE_KEY = "l_orderkey"
ALL_OF_LARGE = (
    "SELECT MAX(l_orderkey) AS a, MAX(l_partkey) AS b, MAX(l_quantity) AS c, "
    "MAX(l_extendedprice) AS d FROM fragment_0"
)
"""The engine's query over the large result, which needs every column."""
WITH_INDEX, WITHOUT_INDEX = "with_index", "without_index"
KEYED_TABLE = "orders"
KEYS = 1_000
"""Rows that are looked for by their primary keys."""
_COUNT = "SELECT COUNT(*) AS n FROM orders WHERE"
_WORK = "SELECT COUNT(*) AS n, SUM(l_quantity) AS s FROM lineitem WHERE l_extendedprice >"
# TPC-H's key of an order: of every 32 numbers the first eight are used.
_STEP = 32


def behaviour_workload(catalog: Catalog, most_at_once: int) -> Workload:
    """Return the statements; `catalog` is TPC-H's, from scale factor 0.01.

    Those of equal work differ in a constant: no engine then takes one's rows for another's.
    """
    keys = ", ".join(str(key) for key in _keys(catalog))
    texts = {
        LARGE: "SELECT l_orderkey, l_partkey, l_quantity, l_extendedprice FROM lineitem",
        WITH_INDEX: f"{_COUNT} o_orderkey IN ({keys})",
        # The keys are above 0: the same rows, but no index on what a function makes of a column.
        WITHOUT_INDEX: f"{_COUNT} ABS(o_orderkey) IN ({keys})",
    }
    for number in range(most_at_once):
        texts[working(number)] = f"{_WORK} {1_000 + number}"
    return Workload(
        name="behaviour",
        dialect="duckdb",
        queries=tuple(
            Query(name=name, sql=sql, origin=f"calibration {name}") for name, sql in texts.items()
        ),
    )


def working(number: int) -> str:
    """Return the name of one of the statements of equal work, from 0."""
    return f"work_{number}"


def table_of(statement: str) -> str:
    """Return the table that a statement reads."""
    return KEYED_TABLE if statement in (WITH_INDEX, WITHOUT_INDEX) else LARGE_TABLE


def _keys(catalog: Catalog) -> list[int]:
    """Return `KEYS` keys of orders, at even distances over all of them."""
    # An order in four: rows / 8 of the numbers' blocks of 32, whose first number is an order's.
    blocks = catalog.table(KEYED_TABLE).rows // 8
    return [_STEP * (1 + number * (blocks - 2) // KEYS) for number in range(KEYS)]
