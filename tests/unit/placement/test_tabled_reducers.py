"""Which fragments are offered reduced by a table of keys, what is left of them, and where."""

from dataclasses import replace

import pytest

from placement.costs import DEFAULT_COSTS
from placement.fragment import Fragment, KeyTable
from placement.fragment_work import KEY_ROW_BYTES
from placement.fragments.enumeration import enumerate_fragments
from placement.fragments.preaggregation import preaggregated_fragments
from placement.fragments.reductions import MOST_KEYS, reduced_fragments
from placement.fragments.tabled_reducers import reduced_by_tables
from placement.limits.check import check
from placement.pricing import able
from placement.stores import FULL_SQL, MOST_TABLED, Capability
from placement.strategies.optimal import Optimal
from tests.catalogs import table
from tests.data_fixtures import statement
from tests.unit.placement.problems import changed, fragment, store, three_tables
from workloads.catalog import Catalog, ColumnStatistics, Table
from workloads.estimation.cardinality import Estimator
from workloads.sql import footprint

LINES, TICKETS = 10_000_000, 1_000_000


def known(of: Table, column: str) -> ColumnStatistics:
    """The statistics of a column, which must be there."""
    found = of.column(column).statistics
    assert found is not None
    return found


def shop(tickets: int = TICKETS) -> Catalog:
    """Tickets, and many more lines that each belong to one."""
    line = {"l_id": "BIGINT", "l_ticket": "BIGINT", "l_price": "DECIMAL(9,2)"}
    ticket = {"t_id": "BIGINT", "t_day": "BIGINT", "t_customer": "BIGINT"}
    lines = table("line", LINES, line, ("l_id",))
    # Their tickets are those that there are.
    of = replace(known(lines, "l_ticket"), distinct=tickets, maximum=float(tickets))
    columns = tuple(
        replace(each, statistics=of) if each.name == "l_ticket" else each for each in lines.columns
    )
    tables = replace(lines, columns=columns), table("ticket", tickets, ticket, ("t_id",))
    return Catalog(name="shop", tables={each.name: each for each in tables})


def sold(share: float, tickets: int = TICKETS) -> str:
    """A query of a share of the tickets, whose days are spread evenly."""
    return (
        f"SELECT l_price FROM line JOIN ticket ON l_ticket = t_id WHERE t_day < {share * tickets}"
    )


def offered(sql: str, catalog: Catalog) -> list[Fragment]:
    """The reduced fragments of the lines."""
    found = footprint(statement(sql), catalog, "duckdb")
    estimator = Estimator(catalog, found)
    reduced = reduced_fragments(found, estimator, enumerate_fragments(found, estimator))
    return [each for each in reduced if each.tables == {"line"}]


def test_more_keys_than_a_statement_holds_are_a_table_and_are_not_sent():
    (reduced,) = offered(sold(0.2), shop())
    (keys,) = reduced.reduction.key_tables
    assert keys.source == "b0.ticket"
    assert keys.keys == pytest.approx(0.2 * TICKETS, rel=0.01)
    assert reduced.reduction.reducers == ("b0.ticket",)
    assert reduced.reduction.keys == 0
    assert [each.key for each in reduced.reduction.matches] == [("b0.ticket", "t_id")]


def test_what_a_statement_holds_is_sent_as_before():
    (reduced,) = offered(sold(0.9 * MOST_KEYS / TICKETS), shop())
    assert reduced.reduction.key_tables == ()
    assert reduced.reduction.keys == pytest.approx(0.9 * MOST_KEYS, rel=0.01)


@pytest.mark.parametrize(
    ("share", "tickets"),
    [(0.95, TICKETS), (0.6, 2 * MOST_TABLED)],
    ids=["leave nearly all", "are too many"],
)
def test_keys_that_are_not_worth_a_table_are_not_loaded(share: float, tickets: int):
    assert offered(sold(share, tickets), shop(tickets)) == []


def test_the_store_joins_with_the_keys_what_it_would_hand_out():
    whole = fragment("q", ("line",), {"line": "line"}, rows=1_000.0)
    keys = KeyTable(source="b0.ticket", keys=60.0, rows=90.0)
    reduced = reduced_by_tables(whole, (keys,), 200.0)
    assert reduced.work.rows_out == 200
    assert reduced.work.join_rows == whole.work.join_rows + 1_000 + 200 + 60


def test_a_key_is_told_from_its_rows_fetched_and_loaded():
    strength = store("a").strength
    costs = replace(DEFAULT_COSTS)
    plain = fragment("q", ("line",), {"line": "line"}, rows=100.0)
    keys = KeyTable(source="b0.ticket", keys=60_000.0, rows=90_000.0)
    loaded = changed(plain, key_tables=(keys,))
    more_s = costs.fragment(loaded, store("a"), 2).total_s
    more_s -= costs.fragment(plain, store("a"), 2).total_s
    assert more_s == pytest.approx(
        strength.start_s
        + strength.write_start_s
        + 90_000 / strength.aggregate_rows_per_s
        + 60_000 / strength.transfer_rows_per_s
        + 60_000 * KEY_ROW_BYTES / strength.load_bytes_per_s
    )


def test_a_store_that_gets_no_tables_of_ours_runs_none():
    (reduced,) = offered(sold(0.2), shop())
    taking = store("a")
    assert taking.capabilities == FULL_SQL
    assert able(taking, reduced)
    assert not able(replace(taking, capabilities=FULL_SQL - {Capability.KEY_TABLES}), reduced)
    (keys,) = reduced.reduction.key_tables
    assert able(replace(taking, most_tabled=round(keys.keys) + 1), reduced)
    assert not able(replace(taking, most_tabled=round(keys.keys) - 1), reduced)


def test_the_check_tells_of_a_table_of_keys_in_a_store_that_gets_none():
    plan = Optimal()(three_tables())
    (routed,) = plan.routing["r"]
    keys = KeyTable(source="b0.v", keys=60_000.0, rows=60_000.0)
    loaded = replace(routed, fragment=changed(routed.fragment, key_tables=(keys,)))
    stated = replace(plan, routing={**plan.routing, "r": (loaded,)})
    denied = FULL_SQL - {Capability.KEY_TABLES}
    for changes, told in (
        ({"capabilities": denied}, "needs a table of keys"),
        ({"most_tabled": 59_999}, "takes 59,999 at most"),
    ):
        stores = tuple(replace(each, **changes) for each in three_tables().stores)
        assert any(told in each for each in check(replace(three_tables(), stores=stores), stated))
        assert not any(told in each for each in check(three_tables(), stated))


def test_groups_are_not_compared_with_a_table_of_keys():
    sql = (
        "SELECT t_customer, sum(l_price) FROM line JOIN ticket ON l_ticket = t_id"
        f" WHERE t_day < {0.2 * TICKETS} GROUP BY t_customer"
    )
    catalog = shop()
    found = footprint(statement(sql), catalog, "duckdb")
    estimator = Estimator(catalog, found)
    every = enumerate_fragments(found, estimator)
    reduced = reduced_fragments(found, estimator, every)
    assert any(each.reduction.key_tables for each in reduced)
    grouped = preaggregated_fragments(found, estimator, (*every, *reduced))
    assert not [each for each in grouped if each.reduction.key_tables]
