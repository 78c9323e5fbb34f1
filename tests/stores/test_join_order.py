"""Many tables are joined in the order that a store finds best, in whichever they are written."""

from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from evaluation.kinds import BACKENDS
from tests.stores.each_store import answer, named
from tests.stores.parquet_tables import write

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.stores, pytest.mark.spark]

ROWS = 2_000


# PostgreSQL searches all orders of ten, and finds one of sixteen by its genetic algorithm.
@pytest.mark.parametrize("number", [10, 16])
@pytest.mark.parametrize("store", ["postgresql", "mysql", "mysql8", "duckdb"])
def test_tables_whose_neighbours_have_nothing_in_common(
    request: pytest.FixtureRequest, spark: "SparkSession", tmp_path: Path, store: str, number: int
) -> None:
    connection = replace(named(request, store), namespace="joined in any order")
    backend = BACKENDS[connection.kind]
    backend.prepare(connection)
    numbers = f"SELECT range AS id, range AS this, range AS that FROM range({ROWS})"
    columns = dict.fromkeys(("id", "this", "that"), "BIGINT")
    backend.load(connection, write(tmp_path, "numbers", columns, numbers, key="id"))
    name = backend.table_name(connection, "numbers")
    chain = [f"t{each}" for each in range(number)]
    # The first half of them alone are 2,000 to the power of five rows, or eight.
    read = " CROSS JOIN ".join(f"{name} AS {each}" for each in (*chain[::2], *chain[1::2]))
    # One column for all of them would tie each to each.
    ties = " AND ".join(f"{one}.that = {other}.this" for one, other in pairwise(chain))
    sql = f"SELECT COUNT(*) AS n FROM {read} WHERE {ties}"
    try:
        assert answer(spark, connection, sql, timeout_s=20).collect()[0][0] == ROWS
    finally:
        backend.drop(connection, "numbers")
