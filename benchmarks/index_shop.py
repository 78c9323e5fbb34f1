"""A shop of three tables with indexes, and twenty queries that select few of their rows, or many.

The data are hashes of row numbers: the same on every machine.
"""

from dataclasses import replace
from pathlib import Path

import duckdb

from advisor.analysis.load_catalog import FoundCatalog, read_catalog
from advisor.project.config import load_project
from advisor.project.project import Project
from workloads.catalog import Column
from workloads.indexes import Index
from workloads.progress import Progress

INDEXES = {
    "customer": (
        Index(columns=("c_city",)),
        Index(columns=("c_email",), unique=True),
    ),
    "product": (Index(columns=("pr_group",)),),
    "purchase": (
        Index(columns=("p_customer",)),
        Index(columns=("p_day",)),
        Index(columns=("p_product", "p_day")),
    ),
}
KEYS = {"customer": ("c_id",), "product": ("pr_id",), "purchase": ("p_id",)}
ORDERED = frozenset({"c_id", "pr_id", "p_id", "p_day"})
"""Columns whose values rise from row to row."""
TABLES = {
    "customer": """
        SELECT i AS c_id, 'name ' || hash(i, 1) % 5000 AS c_name,
          'user' || i || '@example.org' AS c_email, CAST(hash(i, 2) % 500 AS INTEGER) AS c_city,
          DATE '2015-01-01' + CAST(hash(i, 3) % 3000 AS INTEGER) AS c_since
        FROM range(1, {customers} + 1) r(i)""",
    "product": """
        SELECT i AS pr_id, 'product ' || i AS pr_name,
          CAST(hash(i, 4) % 400 AS INTEGER) AS pr_group,
          CAST(hash(i, 5) % 100000 / 100 AS DECIMAL(9, 2)) AS pr_price
        FROM range(1, {products} + 1) r(i)""",
    "purchase": """
        SELECT i AS p_id, CAST(1 + hash(i, 6) % {customers} AS BIGINT) AS p_customer,
          CAST(1 + hash(i, 7) % {products} AS BIGINT) AS p_product,
          DATE '2022-01-01' + CAST(i * 1000 // {rows} AS INTEGER) AS p_day,
          CAST(hash(i, 8) % 100000 / 100 AS DECIMAL(9, 2)) AS p_amount,
          'note ' || hash(i, 9) % 1000000 || ' on the purchase' AS p_note
        FROM range(1, {rows} + 1) r(i)""",
}
_FOUND = "SELECT p_id, p_day, p_amount, p_note FROM purchase WHERE"
_SUMMED = "SELECT COUNT(*) AS n, SUM(p_amount) AS s FROM purchase WHERE"
QUERIES = {
    "point_key": f"{_FOUND} p_id = 54321",
    "point_customer": f"{_FOUND} p_customer = 4711",
    "point_email": "SELECT c_id, c_name FROM customer WHERE c_email = 'user1234@example.org'",
    "point_two_columns": f"{_FOUND} p_product = 77 AND p_day = DATE '2023-03-04'",
    "list_keys": f"{_FOUND} p_id IN (5, 70, 900, 11000, 13000, 17000, 19000, 23000, 29000)",
    "list_customers": f"{_FOUND} p_customer IN (7, 77, 777, 1777, 2777, 3777, 4777, 5777)",
    "list_cities": "SELECT c_id, c_name FROM customer WHERE c_city IN (3, 33, 333)",
    "range_days": f"{_SUMMED} p_day BETWEEN DATE '2023-03-04' AND DATE '2023-03-06'",
    "range_customers": f"{_FOUND} p_customer BETWEEN 1000 AND 1100",
    "range_keys": f"{_SUMMED} p_id BETWEEN 50000 AND 55000",
    "range_cities": """
        SELECT c_since, COUNT(*) AS n FROM customer WHERE c_city BETWEEN 10 AND 14
        GROUP BY c_since ORDER BY n DESC, c_since LIMIT 20""",
    "wide_days": f"{_SUMMED} p_day >= DATE '2022-09-01'",
    "wide_customers": f"{_SUMMED} p_customer > 5000",
    "wide_cities": "SELECT COUNT(*) AS n, MAX(c_since) AS m FROM customer WHERE c_city < 400",
    "join_email": """
        SELECT p_id, p_day, p_amount FROM customer JOIN purchase ON p_customer = c_id
        WHERE c_email = 'user777@example.org'""",
    "join_city": """
        SELECT c_id, c_name, SUM(p_amount) AS s FROM customer JOIN purchase ON p_customer = c_id
        WHERE c_city = 42 GROUP BY c_id, c_name ORDER BY s DESC, c_id LIMIT 10""",
    "join_group": """
        SELECT pr_name, COUNT(*) AS n FROM product JOIN purchase ON p_product = pr_id
        WHERE pr_group = 7 GROUP BY pr_name""",
    "none_amount": f"{_SUMMED} p_amount > 990",
    "none_name": "SELECT COUNT(*) AS n FROM customer WHERE c_name LIKE '%77%'",
    "none_second_column": "SELECT COUNT(*) AS n FROM product WHERE pr_price < 20",
}
"""Name → statement, in DuckDB's SQL; before ``_`` stands what it is of."""
PROJECT = """
[workload]
source = "queries"
dialect = "duckdb"
[catalog]
source = "data"
[stores.pg]
kind = "postgresql"
embedded = true
[stores.maria]
kind = "mysql"
embedded = true
[evaluate]
repeats = {repeats}
all_repeats = true
seed = 0
"""


def shop_project(folder: Path, *, rows: int, repeats: int) -> Project:
    """Write the data, the queries and the project file into a folder; return the project."""
    for name in ("data", "queries"):
        (folder / name).mkdir()
    sizes = {"rows": rows, "customers": rows // 5, "products": rows // 50}
    with duckdb.connect(config={"threads": 1}) as connection:
        for name, sql in TABLES.items():
            file = folder / "data" / f"{name}.parquet"
            connection.execute(f"COPY ({sql.format(**sizes)}) TO '{file}' (FORMAT parquet)")
    for name, sql in QUERIES.items():
        (folder / "queries" / f"{name}.sql").write_text(f"{sql.strip()};\n", encoding="utf-8")
    file = folder / "index_prices.toml"
    file.write_text(PROJECT.format(repeats=repeats), encoding="utf-8")
    return load_project(file)


def shop_catalog(project: Project, progress: Progress) -> FoundCatalog:
    """Return the shop's tables with what a server would tell, and Parquet does not.

    These are keys, indexes, and which columns the rows are in the order of.
    """
    found = read_catalog(project, progress)
    tables = {
        name: replace(
            each,
            primary_key=KEYS[name],
            indexes=INDEXES[name],
            columns=tuple(map(_in_order, each.columns)),
        )
        for name, each in found.catalog.tables.items()
    }
    return replace(found, catalog=replace(found.catalog, tables=tables))


def _in_order(column: Column) -> Column:
    if column.name not in ORDERED or column.statistics is None:
        return column
    return replace(column, statistics=replace(column.statistics, correlation=1.0))
