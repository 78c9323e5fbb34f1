"""The columns that a fragment has of its reducers and its look-ups."""

from dataclasses import replace

import pytest

from placement.fragment import Fragment, Match
from placement.fragments.enumeration import enumerate_fragments
from placement.fragments.matches import Matches
from placement.fragments.reductions import reduced_fragments
from tests.catalogs import shop, table
from tests.data_fixtures import statement
from tests.unit.placement.problems import changed
from workloads.catalog import Catalog
from workloads.estimation.cardinality import Estimator
from workloads.sql import footprint

ITEM = {"i_order": "BIGINT", "i_line": "BIGINT", "i_price": "DECIMAL(9,2)"}
BY_CUSTOMER = Match(column=("b0.orders", "o_customer"), key=("b0.customer", "c_id"))
ORDERS_OF_X = "orders JOIN customer ON o_customer = c_id WHERE c_name = 'x'"


@pytest.fixture(autouse=True)
def _few_rows_are_many(monkeypatch: pytest.MonkeyPatch):
    """Reduce even the small tables of the tests."""
    monkeypatch.setattr("placement.fragments.reductions.FEWEST_DROPPED", 0)


def offered(sql: str, catalog: Catalog | None = None) -> dict[str, Fragment]:
    """Return the fragments of a query, reduced or not, by name."""
    catalog = catalog or shop()
    found = footprint(statement(sql), catalog, "duckdb")
    estimator = Estimator(catalog, found)
    every = enumerate_fragments(found, estimator)
    every += reduced_fragments(found, estimator, every)
    return {each.name.removeprefix("q/"): each for each in every}


def matches(fragment: Fragment) -> tuple[Match, ...]:
    return fragment.reduction.matches


def test_a_reduced_scan_has_the_columns_that_it_is_joined_by():
    found = offered(f"SELECT o_total FROM {ORDERS_OF_X}")
    assert matches(found["b0.orders by b0.customer"]) == (BY_CUSTOMER,)
    assert matches(found["b0.orders"]) == ()


def test_text_that_joins_sources_as_well_is_no_key():
    stores = table("customer", 1_000, {"c_id": "BIGINT", "c_name": "VARCHAR"}, ("c_id",))
    columns = {"o_id": "BIGINT", "o_customer": "BIGINT", "o_name": "VARCHAR"}
    orders = table("orders", 10_000, columns, ("o_id",))
    catalog = replace(shop(), tables={"customer": stores, "orders": orders})
    found = offered(f"SELECT o_id FROM {ORDERS_OF_X} AND o_name = c_name", catalog)
    assert matches(found["b0.orders by b0.customer"]) == (BY_CUSTOMER,)


def test_a_source_above_is_matched_with_the_column_below():
    found = offered(
        "SELECT v FROM (SELECT o_customer AS k, o_total AS v FROM orders) d"
        " JOIN customer ON k = c_id WHERE c_name = 'x'"
    )
    (sent,) = (each for name, each in found.items() if name.endswith(".orders by b0.customer"))
    assert matches(sent) == (replace(BY_CUSTOMER, column=("b1.orders", "o_customer")),)


def test_values_of_subqueries_are_compared_as_the_condition_says():
    # With FILTER the two are not made in one pass.
    bounds = "(SELECT min(o_id) FILTER (TRUE) FROM orders) AND (SELECT max(o_id) FROM orders)"
    found = offered(f"SELECT i_price FROM item WHERE i_order BETWEEN {bounds}")
    first, second = matches(found["b0.item by b0._u_0+b0._u_1"])
    assert first.column == second.column == ("b0.item", "i_order")
    assert (first.operator, first.key[0]) == (">=", "b0._u_0")
    assert (second.operator, second.key[0]) == ("<=", "b0._u_1")
    blocks = [found[f"{each.values_of}"] for each in (first, second)]
    assert [each.tables for each in blocks] == [{"orders"}, {"orders"}]


def test_dates_are_told_from_numbers():
    found = offered(
        "SELECT p.o_total FROM orders p JOIN orders q ON p.o_day = q.o_day WHERE q.o_id < 9"
    )
    (match,) = matches(found["b0.p by b0.q"])
    assert match == Match(column=("b0.p", "o_day"), key=("b0.q", "o_day"), is_day=True)


@pytest.mark.parametrize(
    ("sql", "columns"),
    [
        ("item JOIN orders ON i_order = o_id WHERE o_total = 3", [("i_order", "o_id")]),
        (
            "item i, item r WHERE i.i_line = r.i_line AND r.i_order = i.i_order AND r.i_price = 3",
            [("i_order", "i_order"), ("i_line", "i_line")],
        ),
    ],
    ids=["first column", "whole key"],
)
def test_a_look_up_has_the_columns_of_the_key_in_their_order(sql: str, columns: list):
    items = table("item", 5_000_000, ITEM, ("i_order", "i_line"))
    catalog = replace(shop(), tables={**shop().tables, "item": items})
    whole = offered(f"SELECT count(*) AS n FROM {sql}", catalog)["b0"]
    (look_up,) = whole.reduction.look_ups
    found = whole.reduction.matched(look_up.source, look_up.by)
    assert [(each.column[1], each.key[1]) for each in found] == columns


def test_matches_are_told_again_for_what_a_file_has_of_a_fragment():
    query = f"SELECT o_total FROM {ORDERS_OF_X}"
    sent = offered(query)["b0.orders by b0.customer"]
    bare = changed(sent, matches=())
    assert bare == sent
    found = footprint(statement(query), shop(), "duckdb")
    decided = Matches(found, lambda source: shop().table(source.table)).decided(bare)
    assert matches(decided) == matches(sent) == (BY_CUSTOMER,)
