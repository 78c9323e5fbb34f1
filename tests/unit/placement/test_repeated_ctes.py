"""A store that computes a CTE anew for each reader pays for it as often."""

from dataclasses import replace

import pytest

from placement.costs import DEFAULT_COSTS
from placement.fragment import Fragment
from placement.fragments.enumeration import enumerate_fragments
from placement.stores import Capability
from tests.catalogs import shop
from tests.data_fixtures import statement
from tests.unit.placement.problems import store
from workloads.estimation.cardinality import Estimator
from workloads.sql import footprint

TOTALS = "WITH v AS (SELECT o_customer, count(*) AS k FROM orders GROUP BY o_customer) "


def whole(sql: str) -> Fragment:
    found = footprint(statement(sql), shop(), "duckdb")
    fragments = enumerate_fragments(found, Estimator(shop(), found))
    return next(each for each in fragments if each.kind is Capability.QUERY)


@pytest.mark.parametrize(
    ("sql", "readings"),
    [
        ("SELECT k FROM v", 1),
        ("SELECT a.k FROM v AS a, v AS b WHERE a.k = b.k", 2),
        ("SELECT k FROM v WHERE k > (SELECT avg(k) FROM v)", 2),
        (", w AS (SELECT a.k FROM v AS a, v AS b) SELECT c.k FROM w AS c, w AS d, v", 5),
    ],
)
def test_a_cte_is_read_once_for_each_reader(sql: str, readings: int):
    assert whole(f"{TOTALS}{sql}").work.readings == readings


def test_only_a_store_that_repeats_ctes_pays_for_each_reader():
    fragment = whole(f"{TOTALS}SELECT a.k FROM v AS a, v AS b WHERE a.k = b.k")
    once = store("a")
    again = replace(once, strength=replace(once.strength, repeats_ctes=True))
    one, two = (DEFAULT_COSTS.fragment(fragment, each, 1) for each in (once, again))
    assert two.scan_s == pytest.approx(2 * one.scan_s)
    assert two.join_s == pytest.approx(2 * one.join_s)
    assert two.aggregate_s == pytest.approx(2 * one.aggregate_s)
    assert two.transfer_s == one.transfer_s
