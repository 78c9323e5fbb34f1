"""MySQL 8 is told which tables not to join through their indexes."""

from dataclasses import replace

import pytest
from sqlglot import parse_one

from evaluation.federation.hash_joins import with_hash_joins
from placement.fragment import IndexRead, LookUp
from placement.plan import RoutedFragment
from tests.catalogs import table
from tests.unit.placement.problems import changed, fragment
from workloads.catalog import Catalog
from workloads.indexes import NamedIndex

ROWS = {"sales": 400_000, "customer": 100_000, "returns": 100_001, "day": 70_000, "shop": 10}
CATALOG = Catalog(
    name="star",
    tables={name: table(name, rows, {"id": "BIGINT"}, ("id",)) for name, rows in ROWS.items()},
)
WHOLE = fragment("q", ("s", "c"), {"s": "sales", "c": "customer"})
STAR = "SELECT 1 FROM sales AS s, customer AS c CROSS JOIN returns AS r LEFT JOIN Day AS d ON {on}"


def hinted(sql, whole=WHOLE, own=(), read_by=None):
    routed = RoutedFragment(fragment=whole, store="a", predicted_s=1.0, read_by=read_by)
    tree = with_hash_joins(parse_one(sql, read="duckdb"), routed, CATALOG, own=own)
    return tree.sql("mysql")


def test_tables_with_a_quarter_of_the_rows_of_the_largest_are_hashed():
    found = hinted(STAR.format(on="s.id = d.id"))
    assert found.startswith("SELECT /*+ NO_JOIN_INDEX(`c`) NO_JOIN_INDEX(`d`) */ 1 FROM")


def test_each_block_is_told_of_its_own_tables():
    inner = "SELECT s.id FROM sales AS s, shop AS h"
    found = hinted(f"SELECT 1 FROM customer AS c, ({inner}) AS x, day AS d")
    assert found.count("/*+") == 1
    assert "SELECT /*+ NO_JOIN_INDEX(`h`) */ s.id" in found


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT 1 FROM sales AS s",
        "SELECT 1 FROM day AS d, shop AS h",
        "SELECT 1 FROM sales AS s, returns AS r",
        "SELECT 1 FROM sales AS s, unknown AS u",
    ],
    ids=["one table", "no large table", "two large ones", "none that is known"],
)
def test_nothing_is_told_where_no_small_table_meets_a_large_one(sql):
    assert "/*+" not in hinted(sql)


def test_tables_that_are_looked_up_and_those_of_users_keep_their_indexes():
    looked_up = LookUp(source="b0.c", by="b0.d", share=0.1, spared_bytes=0.0, spared_rows=0.0)
    by_key = changed(WHOLE, look_ups=(looked_up,))
    sql = STAR.format(on="s.id = d.id")
    assert "NO_JOIN_INDEX(`c`)" not in hinted(sql, by_key)
    assert "NO_JOIN_INDEX(`d`)" in hinted(sql, by_key)
    assert "/*+" not in hinted(sql, by_key, own=("DAY",))


def test_a_table_keeps_its_indexes_where_the_price_has_a_chosen_one_of_it():
    chosen = NamedIndex("day", ("year",))
    read = IndexRead(source="b0.d", clustered=True, rows=1.0, spared_bytes=1.0, index=chosen)
    sql = STAR.format(on="s.id = d.id")
    offered = changed(WHOLE, index_reads=(read,))
    assert "NO_JOIN_INDEX(`d`)" not in hinted(sql, offered, read_by=(chosen,))
    assert "NO_JOIN_INDEX(`d`)" in hinted(sql, offered, read_by=())
    # A plan that does not say may read by it.
    assert "NO_JOIN_INDEX(`d`)" not in hinted(sql, offered)
    everywhere = changed(WHOLE, index_reads=(replace(read, index=None),))
    assert "NO_JOIN_INDEX(`d`)" not in hinted(sql, everywhere, read_by=())
