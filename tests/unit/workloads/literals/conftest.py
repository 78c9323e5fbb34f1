"""A shop of Parquet files: literals are drawn from its values."""

import duckdb
import pytest

from workloads.catalog import Catalog
from workloads.progress import Silent
from workloads.sources import parquet

ORDERS = """
SELECT i AS id, i % 50 AS customer, DATE '2020-01-01' + (i % 700)::INTEGER AS "day",
  CASE WHEN i % 10 = 0 THEN 'rare' ELSE 'usual' END AS state,
  (i * 1.25)::DECIMAL(10, 2) AS price, i / 8.0::DOUBLE AS weight, i % 3 = 0 AS paid,
  TIMESTAMP '2020-01-01 10:00:00' + INTERVAL 1 MINUTE * i AS "at",
  TIMESTAMPTZ '2020-01-01 10:00:00+00' + INTERVAL 1 MINUTE * i AS placed,
  ('00000000-0000-0000-0000-' || lpad(i::VARCHAR, 12, '0'))::UUID AS key,
  CASE WHEN i % 2 = 0 THEN 'a_%' || i END AS note, i::VARCHAR::BLOB AS scan
FROM range(2000) t(i)
"""
CUSTOMERS = "SELECT i AS id, 'Name ' || i AS name FROM range(50) t(i)"


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Catalog:
    folder = tmp_path_factory.mktemp("shop")
    (folder / "data").mkdir()
    with duckdb.connect() as connection:
        for name, rows in (("orders", ORDERS), ("customer", CUSTOMERS)):
            connection.execute(f"COPY ({rows}) TO '{folder}/data/{name}.parquet'")
        connection.execute(
            f"COPY (SELECT * FROM ({CUSTOMERS}) WHERE id < 0) TO '{folder}/data/nobody.parquet'"
        )
    return parquet.catalog(folder / "data", cache=folder / "cache", progress=Silent())
