"""Which indexes the conditions and joins of a workload make worth looking at."""

from dataclasses import replace

import pytest

from tests.catalogs import shop
from tests.data_fixtures import statement
from workloads.candidate_indexes import MOST_OF_A_TABLE, candidate_indexes, with_candidates
from workloads.copied_indexes import copy_bytes, index_bytes, with_indexes
from workloads.indexes import Index, NamedIndex
from workloads.sql import footprint


def candidates(*queries, catalog=None, executions=()):
    """Return the columns of the orders' candidates."""
    catalog = catalog or shop()
    footprints = [footprint(statement(sql), catalog, "duckdb") for sql in queries]
    footprints = [
        replace(each, executions=times)
        for each, times in zip(footprints, executions or [1.0] * len(queries), strict=True)
    ]
    found = candidate_indexes(catalog, footprints)
    return [each.columns for each in found.get("orders", ())]


def with_orders(**changes):
    orders = replace(shop().table("orders"), **changes)
    return replace(shop(), tables={**shop().tables, "orders": orders})


def test_equalities_ranges_and_what_joins_are_candidates_alone_and_together():
    found = candidates(
        "SELECT count(*) FROM orders, customer WHERE o_customer = c_id "
        "AND o_day = DATE '1970-01-09' AND o_total > 5"
    )
    assert {("o_customer",), ("o_day",), ("o_total",), ("o_day", "o_total")} <= set(found)


def test_two_equalities_are_one_candidate_with_the_more_selective_first():
    orders = shop().table("orders")
    columns = tuple(
        replace(each, statistics=replace(each.statistics, distinct=3))
        if each.name == "o_customer"
        else each
        for each in orders.columns
    )
    catalog = with_orders(columns=columns)
    sql = "SELECT o_id FROM orders WHERE o_customer = 7 AND o_total = 8"
    assert ("o_total", "o_customer") in candidates(sql, catalog=catalog)


def test_few_columns_that_are_asked_for_are_in_one_index():
    found = candidates("SELECT o_total, o_id FROM orders WHERE o_customer = 7")
    # The primary key needs no place in it.
    assert found == [("o_customer",), ("o_customer", "o_total")]


@pytest.mark.parametrize(
    "condition",
    [
        pytest.param("o_total + 0 = 7", id="an expression"),
        pytest.param("o_total <> 7", id="no range"),
        pytest.param("o_id = 7", id="the primary key has it"),
        pytest.param("(o_total = 7 OR o_customer = 8)", id="an alternative"),
    ],
)
def test_what_no_index_answers_is_no_candidate(condition):
    assert candidates(f"SELECT o_id FROM orders WHERE {condition}") == []


def test_what_an_index_begins_with_that_copies_get_is_no_candidate():
    catalog = with_orders(indexes=(Index(columns=("O_Customer", "o_day")),))
    sql = "SELECT o_day FROM orders WHERE o_customer = 7"
    assert candidates(sql, catalog=catalog) == []
    partial = with_orders(indexes=(Index(columns=("o_customer", "o_day"), obstacle="partial"),))
    assert candidates(sql, catalog=partial) != []


def test_small_tables_have_no_candidates():
    assert candidates("SELECT 1 FROM orders WHERE o_total = 7", catalog=with_orders(rows=9)) == []


@pytest.mark.parametrize("change", [{"width_bytes": 200.0}, {"read_as": "{}::text"}])
def test_wide_values_and_those_read_in_another_form_are_no_candidates(change):
    columns = tuple(
        replace(each, **change) if each.name == "o_total" else each
        for each in shop().table("orders").columns
    )
    catalog = with_orders(columns=columns)
    assert candidates("SELECT o_id FROM orders WHERE o_total = 7", catalog=catalog) == []


def test_those_of_most_executions_come_first_and_each_is_named_once():
    by_day = "SELECT o_id FROM orders WHERE o_day = DATE '1970-01-09'"
    by_total = "SELECT o_id FROM orders WHERE o_total = 8"
    found = candidates(by_day, by_total, by_day, executions=(1.0, 1.5, 1.0))
    assert found == [("o_day",), ("o_total",)]


def test_a_table_has_a_few_dozen_at_most():
    columns = tuple(
        replace(shop().table("orders").columns[1], name=f"o_{number}") for number in range(60)
    )
    catalog = with_orders(columns=columns, primary_key=())
    queries = [f"SELECT 1 FROM orders WHERE o_{number} = 7" for number in range(60)]
    assert len(candidates(*queries, catalog=catalog)) == MOST_OF_A_TABLE


def test_a_candidate_is_none_of_the_indexes_of_copies_until_a_store_has_it():
    named = NamedIndex("orders", ("o_total",))
    offered = with_candidates(shop(), {"orders": (named,)}).table("orders")
    assert [each.is_chosen for each in offered.indexes] == [True]
    orders = shop().table("orders")
    held = with_indexes(orders, (named, NamedIndex("item", ("i_line",))))
    assert held.indexes == (Index(columns=("o_total",)),)
    assert copy_bytes(held) == copy_bytes(orders) + index_bytes(orders, ("o_total",))
