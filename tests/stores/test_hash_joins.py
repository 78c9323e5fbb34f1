"""MySQL 8 joins by hashes where it is told to, in a fragment as the engine asks for it too."""

import pytest
from sqlglot import parse_one

from evaluation.federation.hash_joins import with_hash_joins
from evaluation.kinds import KINDS
from placement.plan import RoutedFragment
from tests.catalogs import table
from tests.stores.each_store import named
from tests.stores.test_embedded_servers import execute, maria
from tests.unit.placement.problems import fragment
from workloads.catalog import Catalog

pytestmark = pytest.mark.stores

SALES, DAYS = 100_000, 1_000
CATALOG = Catalog(
    name="star",
    tables={
        "sales": table("sales", SALES, {"id": "BIGINT", "day": "BIGINT"}, ("id",)),
        "days": table("days", DAYS, {"id": "BIGINT", "year": "BIGINT"}, ("id",)),
    },
)
SQL = "SELECT d.year AS y, COUNT(*) AS n FROM sales AS s, days AS d WHERE s.day = d.id GROUP BY y"
TABLES = (
    "CREATE TABLE digits (d int)",
    "INSERT INTO digits VALUES (0), (1), (2), (3), (4), (5), (6), (7), (8), (9)",
    "CREATE TABLE days (id bigint PRIMARY KEY, year bigint)",
    (
        "INSERT INTO days SELECT n, n DIV 300 FROM (SELECT a.d + 10 * b.d + 100 * c.d AS n"
        " FROM digits a, digits b, digits c) x"
    ),
    "CREATE TABLE sales (id bigint PRIMARY KEY, day bigint)",
    (
        "INSERT INTO sales SELECT 1000 * n + id, id FROM days,"
        " (SELECT a.d + 10 * b.d AS n FROM digits a, digits b) x"
    ),
    "ANALYZE TABLE days, sales",
)


@pytest.mark.parametrize(("name", "told"), [("mysql8", True), ("mysql", False)])
def test_only_mysql_8_is_told(request: pytest.FixtureRequest, name: str, *, told: bool) -> None:
    assert KINDS["mysql"].dialect_for(named(request, name)).told_to_hash is told


def test_a_large_table_is_joined_by_hashes(request: pytest.FixtureRequest) -> None:
    whole = fragment("q", ("s", "d"), {"s": "sales", "d": "days"})
    routed = RoutedFragment(fragment=whole, store="mysql8", predicted_s=1.0)
    hinted = with_hash_joins(parse_one(SQL, read="duckdb"), routed, CATALOG).sql("mysql")
    # So Spark asks for a fragment.
    asked = {name: f"SELECT * FROM ({sql}) f" for name, sql in (("plain", SQL), ("told", hinted))}
    with maria(named(request, "mysql8")) as session:
        execute(session, "CREATE DATABASE hash_joins")
        try:
            for statement in ("USE hash_joins", *TABLES):
                execute(session, statement)
            plans = {
                name: execute(session, f"EXPLAIN FORMAT=TREE {sql}")[0][0]
                for name, sql in asked.items()
            }
            answers = {name: sorted(execute(session, sql)) for name, sql in asked.items()}
        finally:
            execute(session, "DROP DATABASE hash_joins")
    assert "index lookup on d using PRIMARY" in plans["plain"]
    assert "hash join" in plans["told"]
    assert "index lookup" not in plans["told"]
    assert answers["plain"] == answers["told"]
    assert sum(count for _, count in answers["told"]) == SALES
