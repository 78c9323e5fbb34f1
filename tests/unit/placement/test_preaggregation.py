"""Which fragments are offered with partial aggregates, and what they cost."""

from dataclasses import replace

import pytest

from placement.costs import DEFAULT_COSTS
from placement.fragment import Fragment
from placement.fragments.enumeration import enumerate_fragments
from placement.fragments.preaggregation import preaggregated_fragments
from placement.fragments.reductions import reduced_fragments
from placement.pricing import able
from placement.stores import FULL_SQL, Capability
from tests.catalogs import shop, table
from tests.data_fixtures import statement
from tests.unit.placement.problems import changed, store
from workloads.catalog import Catalog, Table
from workloads.estimation.cardinality import Estimator
from workloads.sql import footprint

JOINED = "FROM orders JOIN customer ON o_customer = c_id"


def offered(sql: str, catalog: Catalog | None = None) -> dict[str, Fragment]:
    """Return the pre-aggregated fragments of a query over `shop`, by the aliases in them."""
    catalog = catalog or shop()
    found = footprint(statement(sql), catalog, "duckdb")
    estimator = Estimator(catalog, found)
    every = enumerate_fragments(found, estimator)
    both = (*every, *reduced_fragments(found, estimator, every))
    return {
        each.name.removeprefix("q/").removesuffix(", pre-aggregated").replace("b0.", ""): each
        for each in preaggregated_fragments(found, estimator, both)
    }


def test_a_fact_is_grouped_by_what_it_is_joined_by():
    grouped = offered(f"SELECT c_name, sum(o_total) AS s {JOINED} GROUP BY c_name")["orders"]
    assert grouped.work.rows_out == pytest.approx(1_000, rel=0.01)
    assert grouped.work.aggregate_rows == 10_000


def test_a_row_of_groups_has_its_columns_and_its_partial_aggregates():
    grouped = offered(f"SELECT c_name, avg(o_total) AS s, count(*) AS n {JOINED} GROUP BY c_name")
    assert grouped["orders"].work.row_bytes_out == 8 + 3 * 8


def test_its_name_tells_it_from_the_fragment_that_hands_out_rows():
    grouped = offered(f"SELECT c_name, sum(o_total) AS s {JOINED} GROUP BY c_name")["orders"]
    assert grouped.name == "q/b0.orders, pre-aggregated"
    assert changed(grouped, preaggregated=False).name == "q/b0.orders"


@pytest.mark.parametrize(
    "aggregate",
    ["sum(o_total)", "count(o_id)", "avg(o_total)", "min(o_day)", "max(o_total) + count(*)"],
)
def test_sums_counts_averages_and_extremes_are_split(aggregate: str):
    assert offered(f"SELECT {aggregate} AS a {JOINED}").keys() == {"orders"}


@pytest.mark.parametrize(
    "aggregate",
    [
        "count(DISTINCT o_id)",
        "sum(DISTINCT o_total)",
        "stddev_samp(o_total)",
        "median(o_total)",
        "any_value(o_total)",
        "string_agg(c_name, ',')",
        "an_unknown_function(o_total)",
        "max(o_total > 5)",
        "max((SELECT i_price FROM item WHERE i_order = 1))",
    ],
)
def test_other_aggregates_are_not_split_nor_what_stands_beside_them(aggregate: str):
    assert offered(f"SELECT sum(o_total) AS s, {aggregate} AS a {JOINED}") == {}


def test_count_star_alone_belongs_to_no_fragment():
    assert offered(f"SELECT count(*) AS n {JOINED}") == {}


def test_arguments_of_several_sources_need_them_all():
    sql = f"SELECT sum(o_total) AS s, max(c_name) AS m {JOINED} JOIN item ON i_order = o_customer"
    assert offered(sql).keys() <= {"customer+orders", "customer+item+orders"}


def test_a_filter_clause_belongs_to_the_arguments():
    within = f"SELECT sum(o_total) FILTER (WHERE o_day > '2020-01-01') AS s {JOINED}"
    assert offered(within).keys() == {"orders"}
    assert offered(within.replace("o_day > '2020-01-01'", "c_name > 'a'")) == {}


def test_rows_that_an_outer_join_fills_up_are_not_grouped():
    joined = "FROM customer LEFT JOIN orders ON c_id = o_customer"
    sql = f"SELECT c_name, sum(o_total) AS s {joined} GROUP BY c_name"
    assert offered(sql) == {}


def test_rows_that_an_outer_join_keeps_are_grouped():
    sql = f"SELECT c_name, sum(o_total) AS s {JOINED.replace('JOIN', 'LEFT JOIN')} GROUP BY c_name"
    assert offered(sql).keys() == {"orders"}


def test_nothing_is_grouped_beside_a_full_join():
    sql = f"SELECT c_name, sum(o_total) AS s {JOINED.replace('JOIN', 'FULL JOIN')} GROUP BY c_name"
    assert offered(sql) == {}


def test_a_window_over_groups_is_the_engines_and_one_over_rows_groups_nothing():
    over = "SELECT c_name, rank() OVER (ORDER BY sum(o_total)) AS r"
    assert offered(f"{over} {JOINED} GROUP BY c_name").keys() == {"orders"}
    assert offered(f"SELECT c_name, sum(o_total) OVER () AS r {JOINED}") == {}


def test_a_subquery_that_reads_the_blocks_rows_keeps_them():
    sql = (
        f"SELECT sum(o_total) AS s {JOINED} "
        "WHERE EXISTS (SELECT 1 FROM item WHERE i_order = o_id AND i_line > c_id)"
    )
    assert offered(sql) == {}


@pytest.mark.parametrize(
    "sql",
    [
        f"SELECT DISTINCT c_name {JOINED}",
        f"SELECT c_name {JOINED} GROUP BY c_name",
        f"SELECT c_name {JOINED} GROUP BY ROLLUP (c_name)",
        f"SELECT DISTINCT c_name {JOINED} ORDER BY 1 LIMIT 5",
    ],
)
def test_equal_rows_leave_once_where_they_count_once(sql: str):
    grouped = offered(sql)["orders"]
    assert grouped.work.aggregate_rows == 10_000
    assert grouped.work.rows_out == pytest.approx(1_000, rel=0.01)
    # It has no partial aggregates, but the column that it is joined by.
    assert grouped.work.row_bytes_out == 8


def test_the_operands_of_a_set_count_equal_rows_once():
    sql = f"SELECT c_name {JOINED} {{}} SELECT c_name FROM customer"
    for operator in ("INTERSECT", "EXCEPT", "UNION"):
        assert "b1.orders" in offered(sql.format(operator)), operator
    assert offered(sql.format("UNION ALL")) == {}


@pytest.mark.parametrize(
    "sql",
    [
        f"SELECT c_name {JOINED}",
        f"SELECT DISTINCT c_name, row_number() OVER (ORDER BY c_id) AS r {JOINED}",
        f"SELECT DISTINCT ON (c_name) c_name {JOINED} ORDER BY c_name",
        f"SELECT DISTINCT c_name, random() AS r {JOINED}",
        f"SELECT DISTINCT 1 AS one {JOINED} HAVING true",
        f"SELECT DISTINCT c_name {JOINED} USING SAMPLE 10 ROWS",
        f"SELECT c_name {JOINED} LIMIT 5",
    ],
)
def test_equal_rows_are_kept_where_each_counts(sql: str):
    assert offered(sql) == {}


@pytest.mark.parametrize(
    ("type_", "select", "grouped"),
    [
        ("DOUBLE", "DISTINCT c_name, o_total", True),
        ("DOUBLE", "DISTINCT c_name, CAST(o_total AS VARCHAR)", False),
        ("DOUBLE", "DISTINCT c_name, 1 / o_total", False),
        ("INTERVAL", "DISTINCT c_name, DATE '2020-01-01' + o_total", False),
        ("INTERVAL", "DISTINCT c_name, o_total", False),
        ("DECIMAL(9,2)", "DISTINCT c_name, CAST(o_total AS VARCHAR)", True),
        ("DOUBLE", "c_name, max(o_customer) {} AND abs(o_total) < 3 GROUP BY c_name", True),
        ("DOUBLE", "c_name, max(o_customer) {} AND o_total * 2 > c_id GROUP BY c_name", False),
        ("DOUBLE", "c_name, max(o_customer) {} AND (o_total) > c_id GROUP BY c_name", True),
        ("DOUBLE", "c_name, max(o_customer) {} GROUP BY CUBE (c_name, o_total)", True),
    ],
)
def test_values_that_are_equal_and_not_the_same_are_told_apart(
    type_: str, select: str, grouped: bool
):
    """A month equals 30 days, and 0.0 equals -0.0: a group would have one of them."""
    columns = {"o_customer": "BIGINT", "o_total": type_}
    orders = table("orders", 100_000, columns)
    tables = {**shop().tables, "orders": with_values(orders, 10)}
    catalog = Catalog(name="shop", tables=tables)
    sql = f"SELECT {select}".format(JOINED) if "{}" in select else f"SELECT {select} {JOINED}"
    assert ("orders" in offered(sql, catalog)) is grouped


def with_values(one: Table, distinct: int) -> Table:
    """Return a table whose columns have so many values each."""
    columns = []
    for column in one.columns:
        assert column.statistics is not None
        statistics = replace(column.statistics, distinct=distinct)
        columns.append(replace(column, statistics=statistics))
    return replace(one, columns=tuple(columns))


def test_a_source_of_which_nothing_is_read_outside_is_not_made_distinct():
    assert "orders" not in offered("SELECT DISTINCT c_name FROM orders, customer")


@pytest.mark.parametrize("aggregate", ["max", "avg"])
def test_a_subquery_in_having_does_not_keep_the_rows(aggregate: str):
    """It is joined as a derived table, whose value is the greatest of each group."""
    sql = (
        f"SELECT c_name, sum(o_total) AS s {JOINED} GROUP BY c_name "
        f"HAVING sum(o_total) > (SELECT {aggregate}(i_price) FROM item)"
    )
    assert "orders" in offered(sql)


@pytest.fixture
def few_rows_are_many(monkeypatch: pytest.MonkeyPatch):
    """Group and reduce even what has few rows."""
    monkeypatch.setattr("placement.fragments.reductions.FEWEST_DROPPED", 0)
    monkeypatch.setattr("placement.fragments.preaggregation.FEWEST_DROPPED", 0)
    monkeypatch.setattr("placement.fragments.preaggregation.MOST_KEPT", 0.9)


@pytest.mark.usefixtures("few_rows_are_many")
def test_a_rollup_is_the_engines():
    sql = f"SELECT c_name, sum(o_total) AS s {JOINED} GROUP BY ROLLUP (c_name)"
    # All of it together too: not every store can roll up.
    assert "customer+orders" in offered(sql)


@pytest.mark.usefixtures("few_rows_are_many")
def test_a_whole_block_is_a_fragment_already():
    sql = f"SELECT c_name, sum(o_total) AS s {JOINED} GROUP BY c_name"
    assert offered(sql).keys() == {"orders", "orders by customer"}


def test_groups_of_few_rows_are_fetched_as_rows():
    sql = "SELECT c_id, sum(o_total) AS s FROM orders, customer WHERE o_id = c_id GROUP BY c_id"
    assert offered(sql) == {}


def test_few_rows_are_not_grouped():
    assert offered(f"SELECT sum(c_id) AS s, count(*) AS n {JOINED}") == {}


@pytest.mark.usefixtures("few_rows_are_many")
def test_a_fragment_that_is_reduced_by_keys_may_be_grouped_too():
    grouped = offered(f"SELECT c_name, sum(o_total) AS s {JOINED} AND c_id < 300 GROUP BY c_name")
    assert grouped.keys() == {"orders", "orders by customer"}
    reduced = grouped["orders by customer"]
    assert reduced.work.rows_out < grouped["orders"].work.rows_out
    assert reduced.work.aggregate_rows < grouped["orders"].work.aggregate_rows
    assert reduced.reduction.reducers == ("b0.customer",)


def test_a_store_has_to_aggregate():
    grouped = offered(f"SELECT c_name, sum(o_total) AS s {JOINED} GROUP BY c_name")["orders"]
    assert able(store("s"), grouped)
    assert not able(store("s", capabilities=FULL_SQL - {Capability.BLOCK}), grouped)


def test_a_store_needs_the_functions_in_the_aggregates():
    grouped = offered(f"SELECT c_name, sum(o_total & 3) AS s {JOINED} GROUP BY c_name")["orders"]
    assert "bit_operation" in grouped.work.features
    assert not able(store("s", lacks=("bit_operation",)), grouped)


def test_the_store_pays_for_its_rows_and_the_engine_for_the_groups():
    grouped = offered(f"SELECT c_name, sum(o_total) AS s {JOINED} GROUP BY c_name")["orders"]
    plain = changed(grouped, preaggregated=False, aggregate_rows=0.0, rows_out=10_000.0)
    here = store("s")
    cost, before = (DEFAULT_COSTS.fragment(each, here, 2) for each in (grouped, plain))
    assert cost.aggregate_s == 10_000 / here.strength.aggregate_rows_per_s
    assert cost.transfer_s < before.transfer_s
    assert cost.engine_s < before.engine_s
