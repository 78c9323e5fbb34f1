"""Values of a row that a row store unpacks before it finds those that are asked for."""

from dataclasses import replace

import pytest

from placement.access_paths import scan_s_per_byte
from placement.costs import CostModel
from placement.fragment import Fragment
from placement.fragment_work import FragmentWork
from placement.fragments.enumeration import enumerate_fragments
from placement.fragments.reductions import reduced_fragments
from placement.limits.check import check
from placement.routing.routing import plan_for
from placement.stores import Capability, Store
from tests.catalogs import shop
from tests.data_fixtures import statement
from tests.unit.placement.problems import ENGINE, changed, problem, query, store
from workloads.estimation.cardinality import Estimator
from workloads.sql import footprint

SCAN = query("q", ("t",)).fragments[0]


def at(**rates: float) -> Store:
    found = store("a")
    return replace(found, strength=replace(found.strength, **rates))


def values(sql: str, *sources: str) -> float:
    """Return the values a row of the scan or the join of some sources, by their aliases."""
    found = footprint(statement(sql), shop(), "duckdb")
    estimator = Estimator(shop(), found)
    names = {f"b0.{each}" for each in sources}
    (part,) = (
        each
        for each in enumerate_fragments(found, estimator)
        if set(each.sources) == names and each.kind in (Capability.SCAN, Capability.JOIN)
    )
    return part.work.read_row_values


def whole(sql: str) -> Fragment:
    found = footprint(statement(sql), shop(), "duckdb")
    return enumerate_fragments(found, Estimator(shop(), found))[-1]


def passing(sql: str) -> float:
    """Return the share of a statement's first table that passes, as it is estimated."""
    found = footprint(statement(sql), shop(), "duckdb")
    block = found.blocks[0]
    source = block.sources[0]
    rows = Estimator(shop(), found).rows_of_sources(block.name, [source.alias])
    return rows / shop().table(source.table).rows


def test_all_rows_are_unpacked_up_to_the_last_column_that_is_needed() -> None:
    assert values("SELECT o_day FROM orders", "orders") == 3
    assert values("SELECT sum(o_id), max(o_total) FROM orders", "orders") == 4
    assert values("SELECT count(*) FROM orders", "orders") == 0


def test_rows_that_a_filter_drops_are_unpacked_up_to_its_columns() -> None:
    sql = "SELECT o_total FROM orders WHERE o_customer = 7"
    share = passing(sql)
    assert 0 < share < 0.1
    assert values(sql, "orders") == pytest.approx(2 + share * 2)
    # What is tested last needs no more, whatever passes.
    assert values("SELECT o_total FROM orders WHERE o_customer = 7 AND o_total > 5", "orders") == 4


JOINED = "SELECT o_total, c_name FROM orders JOIN customer ON o_customer = c_id"


def test_rows_without_a_partner_are_unpacked_up_to_the_first_key() -> None:
    found = footprint(statement(JOINED), shop(), "duckdb")
    meeting = Estimator(shop(), found).joined_rows("b0")
    orders, customer = (shop().table(each).rows for each in ("orders", "customer"))
    assert customer < meeting < orders
    # All are unpacked up to their key, those that meet up to the last column that is needed.
    of_orders = 2 * orders + meeting * (4 - 2)
    of_customers = 1 * customer + customer * (2 - 1)
    wanted = (of_orders + of_customers) / (orders + customer)
    assert whole(JOINED).work.read_row_values == pytest.approx(wanted)
    assert values(JOINED, "orders", "customer") == pytest.approx(wanted)


def test_a_scan_that_nothing_reduces_hands_out_rows_whatever_they_are_joined_with() -> None:
    sql = JOINED + " WHERE c_name = 'x'"
    assert values(sql, "orders") == 4
    assert values(JOINED, "customer") == 2
    found = footprint(statement(sql), shop(), "duckdb")
    estimator = Estimator(shop(), found)
    fragments = enumerate_fragments(found, estimator)
    (reduced,) = (
        each
        for each in reduced_fragments(found, estimator, fragments)
        if each.sources == ("b0.orders",) and not each.reduction.key_tables
    )
    # All are tested by the keys that are sent, and few are left.
    left = reduced.work.rows_out / shop().table("orders").rows
    assert 0 < left < 0.1
    assert reduced.work.read_row_values == pytest.approx(2 + left * (4 - 2))


def test_unpacking_takes_its_time_in_proportion_to_the_bytes_that_are_read() -> None:
    each = changed(SCAN, scan_bytes=1000.0, read_row_bytes=50.0, read_row_values=3.0)
    model = CostModel(engine=ENGINE)
    slow, plain = at(scan_values_per_s=10.0), at()
    took_s = model.fragment(each, slow, 1).scan_s - model.fragment(each, plain, 1).scan_s
    assert took_s == pytest.approx(6.0)
    slow_s, plain_s = (scan_s_per_byte(each.work, it.strength) for it in (slow, plain))
    assert slow_s - plain_s == pytest.approx(6.0 / 1000.0)
    # An older plan does not tell how many there are.
    old = changed(each, read_row_values=0.0)
    assert model.fragment(old, slow, 1).scan_s == model.fragment(old, plain, 1).scan_s


def test_the_check_prices_unpacked_values_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = query("q", ("t",), whole=False)
    work = {"read_row_bytes": 10.0, "read_row_values": 4.0}
    asked = replace(asked, fragments=tuple(changed(each, **work) for each in asked.fragments))
    made = problem({"t": 100}, (at(scan_values_per_s=10.0),), (asked,))
    plan = plan_for(made, "x", {"t": ("a",)})
    assert check(made, plan) == ()
    # A plan that was priced without values is refused.
    monkeypatch.setattr(FragmentWork, "scan_s", lambda each, _: each.scanned_bytes / 1e3)
    assert check(made, plan_for(made, "x", {"t": ("a",)}))
