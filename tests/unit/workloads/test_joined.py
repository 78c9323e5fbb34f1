"""Sources of several systems as one workload and one catalog."""

import csv

import duckdb
import pytest

from tests.answers import differ
from workloads.catalog import Catalog, Column, ForeignKey, Table, View
from workloads.errors import CatalogError
from workloads.progress import Silent
from workloads.sources.joined import joined_catalogs, joined_workloads
from workloads.sources.logs import recorded
from workloads.sql.statements import understand
from workloads.workload import Query, Workload


def table(name: str, schema: str, *columns: str, **more) -> Table:
    return Table(
        name=name,
        schema=schema,
        columns=tuple(Column(name=each, type="INTEGER", width_bytes=4.0) for each in columns),
        rows=10,
        fingerprint="",
        **more,
    )


def catalogs() -> tuple[Catalog, Catalog]:
    key = ForeignKey(columns=("customer",), table="customer", references=("id",))
    postgres = Catalog(
        name="warehouse",
        tables={
            "orders": table("orders", "public", "id", "customer", foreign_keys=(key,)),
            "customer": table("customer", "public", "id"),
        },
        views={
            "v": View(name="v", sql="SELECT id FROM orders", dialect="postgres", schema="public")
        },
    )
    mysql = Catalog(
        name="shop",
        tables={
            "orders": table("orders", "shop", "id", "paid"),
            "item": table("item", "shop", "id"),
        },
    )
    return postgres, mysql


def test_tables_of_two_systems_have_names_that_are_unique_among_them():
    found = joined_catalogs(catalogs())
    assert set(found.tables) == {"public.orders", "customer", "shop.orders", "item"}
    (key,) = found.tables["public.orders"].foreign_keys
    assert key.table == "customer"
    assert found.name == "warehouse and shop"
    assert found.tables["shop.orders"].own_name == "orders"
    postgres, _ = catalogs()
    assert joined_catalogs([postgres]) is postgres
    with pytest.raises(CatalogError, match=r"'public.orders' is in 'warehouse' and in 'warehouse'"):
        joined_catalogs([postgres, catalogs()[0]])


def joined() -> Workload:
    return joined_workloads(
        [
            Workload(
                name="warehouse",
                dialect="postgres",
                queries=(
                    Query(name="s1", sql="SELECT id / 2 AS half FROM public.orders", origin="a"),
                    Query(
                        name="w",
                        sql="DELETE FROM customer WHERE id IN (SELECT id FROM v)",
                        origin="a",
                    ),
                    Query(name="bad", sql="SELECT nothing FROM customer", origin="a"),
                ),
            ),
            Workload(
                name="shop",
                dialect="mysql",
                queries=(
                    Query(
                        name="s1",
                        sql="SELECT `id` / 2 AS half FROM orders WHERE paid <=> NULL",
                        origin="b",
                        schema="shop",
                    ),
                    Query(
                        name="both",
                        sql="SELECT count(*) AS n FROM item JOIN `shop`.`orders` USING (id)",
                        origin="b",
                    ),
                ),
            ),
        ]
    )


def test_statements_of_two_systems_keep_what_they_mean():
    workload = joined()
    assert [each.name for each in workload.queries] == [
        "s1_warehouse", "w", "bad", "s1_shop", "both",
    ]  # fmt: skip
    found = understand(workload, joined_catalogs(catalogs()), Silent())
    assert found.workload.dialect == "duckdb"
    assert [each.query for each in found.footprints] == ["s1_warehouse", "w", "s1_shop", "both"]
    by_name = {each.query: each for each in found.footprints}
    assert by_name["s1_warehouse"].tables == {"public.orders"}
    assert by_name["s1_shop"].tables == {"shop.orders"}
    assert by_name["w"].writes == {"customer"}
    assert [(each.source, each.kind) for each in found.skipped] == [("a", "invalid")]
    connection = duckdb.connect(":memory:")
    for name in ("public.orders", "shop.orders"):
        columns = "i AS id, NULL::INTEGER AS paid" if name == "shop.orders" else "i AS id"
        connection.execute(f'CREATE TABLE "{name}" AS SELECT {columns} FROM range(5) t(i)')
    texts = {each.name: each.sql for each in found.workload.queries}
    # PostgreSQL divides whole numbers without a rest, MySQL with one.
    assert (
        differ(connection, texts["s1_warehouse"], "SELECT i // 2 AS half FROM range(5) t(i)")
        is None
    )
    halves = "SELECT CAST(i / 2 AS DECIMAL(38, 4)) AS half FROM range(5) t(i)"
    assert (
        differ(connection, f"SELECT half::DECIMAL(38, 4) AS half FROM ({texts['s1_shop']})", halves)
        is None
    )


def test_no_two_queries_have_one_name_whatever_the_sources_are_called():
    queries = (Query(name="s", sql="SELECT 1", origin="a"),)
    taken = (Query(name="s_log", sql="SELECT 1", origin="a"),)
    found = joined_workloads(
        [
            Workload(name="log", dialect="postgres", queries=queries),
            Workload(name="log", dialect="mysql", queries=(*queries, *taken)),
        ]
    )
    assert [each.name for each in found.queries] == ["s_log_2", "s_log_3", "s_log"]


def test_frequencies_name_queries_of_every_system(tmp_path):
    row = [""] * 26
    row[0], row[1], row[2], row[11] = "2025-01-01 00:00:00.000 UTC", "u", "shop", "LOG"
    row[13] = "duration: 1.5 ms  statement: SELECT id FROM orders"
    with (tmp_path / "postgresql.csv").open("w", newline="") as file:
        csv.writer(file).writerow(row)
    (tmp_path / "slow.log").write_text(
        "# Time: 2025-01-01T00:00:00.000000Z\n# User@Host: u[u] @ localhost []  Id: 1\n"
        "# Query_time: 0.5  Lock_time: 0.0 Rows_sent: 1  Rows_examined: 1\n"
        "SET timestamp=1735689600;\nSELECT `total` FROM `item`;\n"
    )
    names = [each.name for each in recorded.workload(tmp_path).queries]
    assert len(set(names)) == 2
    (tmp_path / "often.txt").write_text(f"name,executions\n{names[0]},7\n{names[1]},9\n")
    found = recorded.workload(tmp_path, frequencies=tmp_path / "often.txt")
    assert [(each.name, each.executions) for each in found.queries] == [
        (names[0], 7), (names[1], 9),
    ]  # fmt: skip


def test_logs_of_two_systems_are_one_workload(tmp_path):
    row = [""] * 26
    row[0], row[1], row[2], row[11] = "2025-01-01 00:00:00.000 UTC", "u", "shop", "LOG"
    row[13] = "duration: 1.5 ms  statement: SELECT id FROM public.orders"
    with (tmp_path / "postgresql.csv").open("w", newline="") as file:
        csv.writer(file).writerow(row)
    (tmp_path / "slow.log").write_text(
        "# Time: 2025-01-01T00:00:00.000000Z\n# User@Host: u[u] @ localhost []  Id: 1\n"
        "# Query_time: 0.5  Lock_time: 0.0 Rows_sent: 1  Rows_examined: 1\n"
        "SET timestamp=1735689600;\nSELECT `id` FROM `shop`.`orders`;\n"
    )
    found = recorded.workload(tmp_path)
    assert found.dialect == "duckdb"
    assert sorted((each.dialect, each.sql) for each in found.queries) == [
        ("mysql", "SELECT `id` FROM `shop`.`orders`"),
        ("postgres", "SELECT id FROM public.orders"),
    ]
    read = understand(found, joined_catalogs(catalogs()), Silent())
    assert [each.tables for each in read.footprints] == [{"public.orders"}, {"shop.orders"}]
