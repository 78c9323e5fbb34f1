"""Which fragments are offered reduced by keys of blocks above, and what is left of them."""

from dataclasses import replace

import pytest

from placement.fragment import Fragment
from placement.fragments.enumeration import enumerate_fragments
from placement.fragments.key_types import compare_alike
from placement.fragments.preaggregation import preaggregated_fragments
from placement.fragments.reductions import reduced_fragments
from tests.catalogs import shop
from tests.data_fixtures import statement
from workloads.catalog import Catalog
from workloads.estimation.cardinality import Estimator
from workloads.sql import footprint


def offered(sql: str, catalog: Catalog | None = None) -> dict[str, Fragment]:
    """Return the reduced fragments of a query over `catalog`, or the shop, by name."""
    catalog = catalog or shop()
    found = footprint(statement(sql), catalog, "duckdb")
    estimator = Estimator(catalog, found)
    every = enumerate_fragments(found, estimator)
    return {
        each.name.removeprefix("q/"): each for each in reduced_fragments(found, estimator, every)
    }


BRANCHES = "SELECT o_customer AS k FROM orders UNION ALL SELECT i_order AS k FROM item"


def test_both_branches_of_a_union_are_reduced_by_what_the_union_is_joined_with():
    reduced = offered(
        f"SELECT count(*) AS n FROM ({BRANCHES}) d JOIN customer ON k = c_id WHERE c_name = 'x'"
    )
    assert {name.partition(".")[2] for name in reduced} == {
        "orders by b0.customer",
        "item by b0.customer",
    }
    for each in reduced.values():
        assert each.reduction.reducers == ("b0.customer",)
        assert each.reduction.keys == pytest.approx(10)


def test_what_is_left_is_what_a_direct_join_leaves():
    condition = "ON o_customer = c_id WHERE c_name = 'x'"
    direct = offered(f"SELECT o_total, c_name FROM orders JOIN customer {condition}")
    below = offered(
        "SELECT o_total, c_name FROM (SELECT o_customer, o_total FROM orders) d"
        f" JOIN customer {condition}"
    )
    (one,) = (each for name, each in direct.items() if name.startswith("b0.orders by"))
    (other,) = (each for name, each in below.items() if ".orders by" in name)
    assert other.work.rows_out == pytest.approx(one.work.rows_out)


def test_an_unfiltered_source_above_reduces_nothing():
    derived = "SELECT o_customer AS k FROM orders AS p"
    assert offered(f"SELECT o_day FROM ({derived}) d JOIN orders ON k = o_id") == {}


def test_keys_that_are_more_than_they_drop_are_not_sent_from_above():
    sql = (
        "SELECT 1 AS o FROM (SELECT i_order AS k, i_line AS l FROM item) d, orders, customer"
        " WHERE d.k = c_id AND c_name = 'x' AND d.l = o_id AND o_total < 5000"
    )
    (item,) = (each for name, each in offered(sql).items() if ".item by" in name)
    assert item.reduction.reducers == ("b0.customer",)


def test_the_fragment_reduced_by_its_own_block_alone_stays():
    sql = (
        "SELECT 1 AS o FROM (SELECT i_order AS k FROM item JOIN orders ON i_line = o_id"
        " WHERE o_total = 5) d, customer WHERE k = c_id AND c_name = 'x'"
    )
    reducers = {
        tuple(name.partition(".")[2] for name in each.reduction.reducers)
        for name, each in offered(sql).items()
        if ".item by" in name
    }
    assert ("orders",) in reducers
    assert all(each[0] == "orders" for each in reducers)


def test_values_of_a_subquery_and_keys_from_above_reduce_one_fragment():
    # With FILTER the two are not made in one pass.
    value = "(SELECT {}(o_id) FILTER (TRUE) FROM orders WHERE o_total < 5)"
    sql = (
        "SELECT 1 AS o FROM (SELECT i_order AS k FROM item WHERE i_line"
        f" BETWEEN {value.format('min')} AND {value.format('max')}) d, customer"
        " WHERE k = c_id AND c_name = 'x'"
    )
    block = "_u_0", "_u_1"
    found = {
        tuple(name.partition(".")[2] for name in each.reduction.reducers): each
        for name, each in offered(sql).items()
        if ".item by" in name
    }
    assert found.keys() == {block, ("customer", *block)}
    assert found["customer", *block].work.rows_out < found[block].work.rows_out
    assert found["customer", *block].reduction.keys == pytest.approx(
        found[block].reduction.keys + 10
    )


def test_a_fragment_that_is_reduced_from_above_may_be_grouped_too():
    sql = (
        "SELECT c_name, s FROM (SELECT o_customer AS k, sum(o_total) AS s FROM orders JOIN item"
        " ON i_order = o_id GROUP BY o_customer) d JOIN customer ON k = c_id WHERE c_id < 800"
    )
    found = footprint(statement(sql), shop(), "duckdb")
    estimator = Estimator(shop(), found)
    every = enumerate_fragments(found, estimator)
    reduced = reduced_fragments(found, estimator, every)
    above = [each for each in reduced if "b0.customer" in each.reduction.reducers]
    assert above
    for each in preaggregated_fragments(found, estimator, (*every, *above)):
        assert each.work.rows_out >= 1


@pytest.mark.parametrize(
    ("types", "alike"),
    [
        (["BIGINT", "INTEGER"], True),
        (["DATE", "DATE"], True),
        (["DATE", "INTEGER"], False),
        (["BIGINT", "DOUBLE"], False),
        (["BIGINT", ""], False),
    ],
)
def test_only_numbers_and_only_dates_compare_alike(types: list[str], alike: bool):
    assert compare_alike(types) == alike


@pytest.mark.parametrize(
    ("column", "spares"), [("o_id", True), ("o_customer", False)], ids=["key", "other"]
)
def test_keys_of_a_primary_key_spare_what_a_row_store_would_read(column: str, spares: bool):
    tables = dict(shop().tables)
    tables["orders"] = replace(tables["orders"], rows=5_000_000)
    large = replace(shop(), tables=tables)
    found = offered(
        f"SELECT o_day FROM orders JOIN customer ON {column} = c_id WHERE c_name = 'x'", large
    )
    (orders,) = (each for name, each in found.items() if "orders by" in name)
    whole = large.table("orders").bytes
    assert orders.work.scan_bytes == pytest.approx(0 if spares else whole, abs=0.02 * whole)
    assert orders.work.column_bytes > 0
    assert orders.work.clustered_bytes == pytest.approx(0 if spares else whole, abs=0.06 * whole)


def test_a_large_star_is_reduced_by_the_sources_that_leave_least():
    joined = [f"JOIN customer AS a{n} ON a{n}.c_id = o_customer" for n in range(60)]
    sql = f"SELECT count(*) AS n FROM orders {' '.join(joined)} JOIN customer AS z"
    found = offered(f"{sql} ON z.c_id = o_customer WHERE z.c_name = 'x'")
    (orders,) = (each for name, each in found.items() if name.startswith("b0.orders by"))
    assert "b0.z" in orders.reduction.reducers
    assert len(orders.reduction.reducers) == 40
