"""Keys that are restricted by those of a source behind the one that a fragment is joined with."""

from dataclasses import replace

import duckdb
import pytest

from evaluation.federation.keys import MOST_FETCHED_ROWS
from placement.fragment import KeyTable
from placement.fragments.enumeration import enumerate_fragments
from placement.fragments.reductions import MOST_KEYS, reduced_fragments
from tests.answers import differ
from tests.data_fixtures import statement
from tests.unit.evaluation.keyed_fragments import fetch
from tests.unit.evaluation.test_keys_of_both import compiled, scans
from tests.unit.placement.problems import changed
from workloads.catalog import Catalog
from workloads.estimation.cardinality import Estimator
from workloads.sql import footprint

WEEKS = (
    "SELECT inv_item_sk, inv_quantity_on_hand FROM inventory, date_dim d1, date_dim d2 "
    "WHERE inv_date_sk = d2.d_date_sk AND d1.d_week_seq = d2.d_week_seq "
    "AND d1.d_year = 2001 AND d1.d_moy = 12 AND d1.d_dom < 8"
)


@pytest.mark.parametrize("days", [10.0, MOST_FETCHED_ROWS + 1.0], ids=["view", "own_sql"])
def test_keys_are_restricted_by_those_behind_them(
    tiny: Catalog, tiny_database: duckdb.DuckDBPyConnection, days: float
):
    reducers = {"b0.inventory": ("b0.d2", "b0.d1")}
    query, combining = compiled(WEEKS, tiny, scans(WEEKS, tiny, reducers, days))
    rows = tiny_database
    fetch(rows, query.fragments)
    assert rows.execute(WEEKS).fetchone()
    assert differ(rows, WEEKS, combining) is None
    (stock,) = (each for each in query.fragments if each.fragment.tables == {"inventory"})
    (key,) = stock.keys
    assert len(key.source.keys) == 1
    weeks = "SELECT d_week_seq FROM date_dim WHERE d_year = 2001 AND d_moy = 12 AND d_dom < 8"
    dates = f"SELECT d_date_sk FROM date_dim WHERE d_week_seq IN ({weeks})"
    fetched = rows.execute(f"SELECT count(*) FROM {stock.view}").fetchall()
    met = rows.execute(f"SELECT count(*) FROM inventory WHERE inv_date_sk IN ({dates})").fetchall()
    assert fetched == met


@pytest.mark.parametrize("tabled", [True, False])
def test_only_keys_that_were_to_be_a_table_are_expected_to_be_many(tiny: Catalog, tabled: bool):
    routing = scans(WEEKS, tiny, {"b0.inventory": ("b0.d2",)}, MOST_FETCHED_ROWS + 1.0)
    loaded = KeyTable(source="b0.d2", keys=MOST_KEYS + 1.0, rows=MOST_KEYS + 1.0)
    routing = [
        replace(each, fragment=changed(each.fragment, key_tables=(loaded,) if tabled else ()))
        if each.fragment.tables == {"inventory"}
        else each
        for each in routing
    ]
    query, _ = compiled(WEEKS, tiny, routing)
    (stock,) = (each for each in query.fragments if each.fragment.tables == {"inventory"})
    (key,) = stock.keys
    assert key.source.many is tabled
    assert stock.read_rows == tiny.table("inventory").rows


def test_a_source_with_too_many_keys_is_offered_with_what_restricts_it(tiny: Catalog):
    found = footprint(statement(WEEKS), tiny, "duckdb")
    estimator = Estimator(tiny, found)
    every = enumerate_fragments(found, estimator)
    by_name = {each.name: each for each in reduced_fragments(found, estimator, every)}
    reduced = by_name["q/b0.inventory by b0.d2+b0.d1"]
    (whole,) = (each for each in every if each.name == "q/b0.inventory")
    assert reduced.work.rows_out < 0.1 * whole.work.rows_out
    assert estimator.rows_of_sources("b0", ["d2"]) > MOST_KEYS > reduced.reduction.keys > 0


def test_without_a_filter_behind_there_is_nothing_to_send(tiny: Catalog):
    sql = WEEKS.partition(" AND d1.d_year")[0]
    found = footprint(statement(sql), tiny, "duckdb")
    estimator = Estimator(tiny, found)
    every = enumerate_fragments(found, estimator)
    assert not [e for e in reduced_fragments(found, estimator, every) if "inventory" in e.tables]
