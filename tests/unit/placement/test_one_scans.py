"""Which scans of one table are offered to be read by one, and in which stores."""

from dataclasses import replace

import pytest

from placement.costs import DEFAULT_COSTS
from placement.fragment import SharedFragment, members
from placement.fragments.enumeration import enumerate_fragments
from placement.fragments.one_scans import one_scans
from placement.limits.check import check
from placement.pricing import able
from placement.problem import QueryProblem
from placement.routing.routing import plan_for
from placement.stores import Capability
from tests.catalogs import table
from tests.data_fixtures import statement
from tests.unit.placement.problems import problem, store
from workloads.catalog import Catalog
from workloads.estimation.cardinality import Estimator
from workloads.sql import footprint

LINES = table(
    "lines",
    1_000_000,
    {"order": "BIGINT", "line": "BIGINT", "price": "BIGINT", "tax": "BIGINT"},
    ("order", "line"),
)
SMALL = table("small", 1_000, {"order": "BIGINT", "price": "BIGINT"})
SHOP = Catalog(name="shop", tables={each.name: each for each in (LINES, SMALL)})
SCANNING = frozenset({Capability.SCAN, Capability.ONE_SCAN})


def asked(*selects: str) -> QueryProblem:
    found = footprint(statement(" UNION ALL ".join(selects)), SHOP, "duckdb")
    estimator = Estimator(SHOP, found)
    fragments = enumerate_fragments(found, estimator)
    return QueryProblem(
        name=found.query,
        executions=1.0,
        sources=tuple(source.name for source in found.sources()),
        fragments=fragments,
        shared=one_scans(found, estimator, fragments),
    )


def offered(*selects: str) -> tuple[SharedFragment, ...]:
    return asked(*selects).shared


LOW = "SELECT sum(price) FROM lines WHERE price < 100000"
HIGH = "SELECT sum(tax) FROM lines WHERE price > 900000"


def test_scans_with_other_filters_and_columns_are_read_by_one():
    (found,) = offered(LOW, HIGH)
    assert found.sources == ("b1.lines", "b2.lines")
    first, second = members(found)
    assert first.name == "q/b1.lines, one scan"
    assert (first.reduction.repeats, second.reduction.repeats) == (None, first.name)
    assert second.name == "q/b2.lines"


def test_the_scan_hands_out_the_rows_that_any_wants_and_their_columns():
    (found,) = offered(LOW, HIGH)
    low, high = (each for each in asked(LOW, HIGH).fragments if each.kind is Capability.SCAN)
    assert found.work.rows_out == pytest.approx(low.work.rows_out + high.work.rows_out)
    assert found.work.row_bytes_out == 2 * 8.0
    assert found.work.scan_bytes == low.work.scan_bytes


def test_the_same_rows_of_other_columns_are_counted_once():
    (found,) = offered(LOW, LOW.replace("sum(price)", "sum(tax)"))
    first, second = members(found)
    assert first.work.rows_out == second.work.rows_out


def test_no_more_rows_are_handed_out_than_the_table_has():
    (found,) = offered(LOW, "SELECT sum(tax) FROM lines")
    assert found.work.rows_out == LINES.rows


def test_small_tables_and_beginnings_of_keys_are_read_by_themselves():
    below, above = (f'SELECT price FROM lines WHERE "order" {sign} 5' for sign in "<>")
    assert offered(below, above) == ()
    small = (f"SELECT sum(price) FROM small WHERE price {sign} 5" for sign in "<>")
    assert offered(*small) == ()
    second = (f"SELECT sum(price) FROM lines WHERE line {sign} 5" for sign in "<>")
    assert len(offered(*second)) == 1


def test_the_same_scans_are_left_to_those_with_the_same_rows():
    assert offered(LOW, LOW) == ()


def test_only_a_store_that_is_capable_of_it_reads_so():
    (found,) = offered(LOW, HIGH)
    assert able(store("acc", capabilities=SCANNING), found)
    assert not able(store("pg"), found)
    assert not able(store("mem", capabilities=SCANNING - {Capability.ONE_SCAN}), found)


def test_the_plan_takes_one_scan_and_the_check_knows_its_price():
    scanning, whole = store("acc", capabilities=SCANNING), store("pg")
    made = problem({"lines": 32_000_000}, [scanning, whole], [asked(LOW, HIGH)], max_copies=2)
    plan = plan_for(made, "any", {"lines": ("acc",)})
    assert [each.fragment.name for each in plan.routing["q"]] == [
        "q/b1.lines, one scan",
        "q/b2.lines",
    ]
    first, second = plan.routing["q"]
    assert second.predicted_s == second.engine_s
    assert check(made, plan) == ()
    moved = tuple(replace(each, store="pg") for each in plan.routing["q"])
    everywhere = {"lines": ("acc", "pg")}
    wrong = check(made, replace(plan, placement=everywhere, routing={"q": moved}))
    says = "is read by one scan with others, which kind 'postgresql' does not do."
    assert f"Fragment '{first.fragment.name}' in 'pg' {says}" in wrong


def test_it_costs_what_its_parts_do():
    (found,) = offered(LOW, HIGH)
    where = store("acc", capabilities=SCANNING)
    apart = [DEFAULT_COSTS.fragment(each, where, 2).total_s for each in members(found)]
    assert DEFAULT_COSTS.fragment(found, where, 2).total_s == pytest.approx(sum(apart))
