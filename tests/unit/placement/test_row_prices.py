"""Rows cost beside their bytes: those that are scanned, handed out, and fetched one by one."""

from dataclasses import replace

import pytest

from evaluation.kinds import BACKENDS
from placement.access_paths import scan_s_per_byte
from placement.costs import CostModel
from placement.fragment import Fragment
from placement.fragment_work import FragmentWork
from placement.fragments.enumeration import enumerate_fragments
from placement.fragments.preaggregation import preaggregated_fragments
from placement.limits.canonical_order import in_order
from placement.limits.check import check
from placement.routing.routing import plan_for
from placement.stores import Capability, Store, Strength
from tests.catalogs import shop
from tests.data_fixtures import statement
from tests.unit.placement.problems import ENGINE, changed, problem, query, store
from workloads.estimation.cardinality import Estimator
from workloads.sql import footprint

SCAN, *_, WHOLE = query("q", ("t",)).fragments
DRIVER = replace(ENGINE, own_drivers=True)


def at(**rates: float | None) -> Store:
    found = store("a")
    return replace(found, strength=replace(found.strength, **rates))


def seconds(each: Fragment, where: Store, engine=ENGINE) -> float:
    return CostModel(engine=engine).fragment(each, where, 1).total_s


def dearer_s(each: Fragment, engine=ENGINE, **rates: float) -> float:
    """Return by how much a fragment is dearer with the rates than without them."""
    return seconds(each, at(**rates), engine) - seconds(each, at(), engine)


def enumerated(sql: str) -> dict[str, Fragment]:
    found = footprint(statement(sql), shop(), "duckdb")
    estimator = Estimator(shop(), found)
    every = enumerate_fragments(found, estimator)
    return {each.name: each for each in (*every, *preaggregated_fragments(found, estimator, every))}


def test_each_decimal_that_a_task_takes_has_its_time() -> None:
    each = changed(SCAN, rows_out=200.0, decimals_out=3.0)
    assert dearer_s(each, transfer_decimals_per_s=100.0) == pytest.approx(6.0)
    # What an own driver fetches has the time of its rows alone.
    few = changed(WHOLE, rows_out=200.0, decimals_out=3.0)
    own = {"most_driver_rows": 200, "transfer_decimals_per_s": 100.0}
    assert seconds(few, at(**own)) == seconds(few, at(most_driver_rows=200))


@pytest.mark.parametrize(("rows", "own"), [(200.0, True), (201.0, False)])
def test_rows_that_an_own_driver_fetches_have_its_rate(rows: float, own: bool) -> None:
    each = changed(WHOLE, rows_out=rows)
    plain = seconds(each, at(most_driver_rows=200))
    slow = seconds(each, at(most_driver_rows=200, driver_rows_per_s=10.0))
    assert slow - plain == pytest.approx(rows / 10.0 - rows / 1000.0 if own else 0.0)


def test_a_whole_answer_is_not_delivered_again_where_the_engine_has_it() -> None:
    each = changed(WHOLE, rows_out=1e6, delivered_rows=1e6)
    spared_s = seconds(each, at()) - seconds(each, at(), DRIVER)
    assert spared_s == pytest.approx(1e6 / ENGINE.delivered_rows_per_s)
    part = changed(SCAN, delivered_rows=1e6)
    assert seconds(part, at()) == seconds(part, at(), DRIVER)


def test_a_scan_takes_the_time_of_its_rows_and_of_their_bytes() -> None:
    each = changed(SCAN, scan_bytes=1000.0, read_row_bytes=50.0)
    assert dearer_s(each, scan_rows_per_s=10.0) == pytest.approx(2.0)
    assert scan_s_per_byte(each.work, at(scan_rows_per_s=10.0).strength) == pytest.approx(0.003)
    # An older plan does not tell the width.
    assert dearer_s(changed(each, read_row_bytes=None), scan_rows_per_s=10.0) == 0.0


def test_fragments_tell_the_decimals_and_the_width_of_their_rows() -> None:
    found = enumerated(
        "SELECT o_total, o_id, c_name FROM orders JOIN customer ON o_customer = c_id"
    )
    orders, customer = (shop().table(name) for name in ("orders", "customer"))
    decimals = {each.name for each in orders.columns if each.type.startswith("DECIMAL")}
    assert decimals == {"o_total"}
    by_sources = {
        each.sources: each.work for each in found.values() if each.kind is not Capability.QUERY
    }
    assert by_sources["b0.orders",].decimals_out == 1.0
    assert by_sources["b0.customer",].decimals_out == 0.0
    assert by_sources["b0.customer", "b0.orders"].decimals_out == 1.0
    assert by_sources["b0.orders",].read_row_bytes == pytest.approx(orders.row_bytes)
    both = (orders.bytes + customer.bytes) / (orders.rows + customer.rows)
    assert by_sources["b0.customer", "b0.orders"].read_row_bytes == pytest.approx(both)


def test_partial_aggregates_are_taken_for_decimals() -> None:
    sql = "SELECT c_name, avg(o_id) FROM orders JOIN customer ON o_customer = c_id GROUP BY c_name"
    (grouped,) = (each for each in enumerated(sql).values() if each.reduction.preaggregated)
    assert grouped.work.decimals_out == 2.0


@pytest.mark.parametrize("name", ["rows_s", "scan_s"])
def test_the_check_prices_rows_by_itself(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    where = at(scan_rows_per_s=10.0, transfer_decimals_per_s=10.0)
    asked = query("q", ("t",), whole=False)
    of_rows = {"decimals_out": 2.0, "read_row_bytes": 10.0}
    asked = replace(asked, fragments=tuple(changed(each, **of_rows) for each in asked.fragments))
    made = problem({"t": 100}, (where,), (asked,))
    assert check(made, plan_for(made, "x", {"t": ("a",)})) == ()
    monkeypatch.setattr(FragmentWork, name, lambda *_: 0.0)
    assert check(made, plan_for(made, "x", {"t": ("a",)}))


def test_stores_with_drivers_of_their_own_have_a_rate_of_their_rows() -> None:
    strengths: dict[str, Strength] = {kind: each.strength for kind, each in BACKENDS.items()}
    fetching = {kind for kind, each in strengths.items() if each.most_driver_rows}
    assert fetching == {"postgresql", "mysql"}
    assert all((strengths[kind].driver_rows_per_s or 0) > 0 for kind in fetching)
    # Column stores read no rows. Only PostgreSQL finds a value by those before it.
    by_rows = {kind for kind, each in strengths.items() if each.scan_rows_per_s}
    assert by_rows == {"postgresql", "mysql", "accumulo"}
    assert {kind for kind, each in strengths.items() if each.scan_values_per_s} == {"postgresql"}


def test_a_store_with_fast_bytes_and_slow_rows_is_no_fast_scanner() -> None:
    pg, maria = (BACKENDS[kind].strength for kind in ("postgresql", "mysql"))
    maria = replace(maria, scan_bytes_per_s=2.0 * pg.scan_bytes_per_s)
    assert maria.typical_scan_bytes_per_s < 0.7 * pg.typical_scan_bytes_per_s
    both = (store("maria"), store("pg"))
    made = problem(
        {"t": 100}, [replace(a, strength=b) for a, b in zip(both, (maria, pg), strict=True)]
    )
    assert [each.name for each in in_order(made).stores] == ["pg", "maria"]
